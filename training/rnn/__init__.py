"""`td.nn.rnn_cell`, `dynamic_rnn` and related functions."""
