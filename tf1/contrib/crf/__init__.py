"""`td.contrib.crf`."""
