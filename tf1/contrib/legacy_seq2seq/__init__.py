"""`td.contrib.legacy_seq2seq`."""
