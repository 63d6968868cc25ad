"""Arithmetic, comparison, elementary functions, reductions and segments."""
