"""Losses, and the losses of a graph together: `td.losses`."""
