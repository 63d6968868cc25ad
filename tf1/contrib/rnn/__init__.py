"""`td.contrib.rnn`."""
