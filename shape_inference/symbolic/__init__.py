"""Symbolic sizes: polynomials over named dimensions, in one canonical form."""
