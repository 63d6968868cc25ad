"""Picking and placing elements: slices, gather and scatter, masks, one-hot, partitions."""
