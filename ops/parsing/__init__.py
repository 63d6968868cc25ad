"""Parsing: examples, lines of CSV files, and bytes that are numbers, text or tensors."""
