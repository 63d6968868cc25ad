"""What `td.contrib.rnn` has beside `td.nn.rnn_cell`: more cells, wrappers, layers of both ways."""
