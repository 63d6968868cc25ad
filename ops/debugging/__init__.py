"""Assertions, prints, Python callbacks, control of order."""
