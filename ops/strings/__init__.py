"""Strings: joining, splitting, matching, hashing, and numbers as text."""
