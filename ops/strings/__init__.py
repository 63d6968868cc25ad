"""Strings: joining, splitting, regular expressions, hashes."""
