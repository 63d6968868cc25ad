"""Sparse tensors: placeholders for them, and ops on them."""
