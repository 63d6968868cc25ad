"""`td.contrib.seq2seq`."""
