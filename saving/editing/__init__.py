"""Extracting, renaming, folding, freezing, comparing graphs."""
