"""Texts as numbers: `td.contrib.learn.preprocessing`."""
