"""Ragged tensors: rows of different lengths, as values and where their rows end."""
