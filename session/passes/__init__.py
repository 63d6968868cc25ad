"""Passes that simplify a plan before it is laid out."""
