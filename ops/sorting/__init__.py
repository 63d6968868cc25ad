"""Sorting, top-k, unique."""
