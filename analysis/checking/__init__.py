"""Checks of a single graph: consistency and shapes."""
