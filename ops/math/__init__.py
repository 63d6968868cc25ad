"""Arithmetic, comparison, reductions, segments."""
