"""Loops as machine code, where numba is installed."""
