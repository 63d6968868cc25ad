"""Losses that take predictions first: `td.contrib.losses`."""
