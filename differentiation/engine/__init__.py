"""Reverse mode itself, which knows the rule of no op."""
