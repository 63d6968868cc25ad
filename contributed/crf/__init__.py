"""Conditional random fields along sequences of tags: `td.contrib.crf`."""
