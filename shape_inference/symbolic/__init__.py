"""Arithmetic of named sizes."""
