"""Assertions, printing, Python callbacks, execution order."""
