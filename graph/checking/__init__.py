"""Checking a graph without running it, and the report of what was found."""
