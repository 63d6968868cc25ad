"""`td.nn.rnn_cell`, `dynamic_rnn` and kin."""
