"""`td.contrib.cudnn_rnn`."""
