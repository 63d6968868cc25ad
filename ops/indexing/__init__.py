"""Gather, scatter, slices, masks, one-hot."""
