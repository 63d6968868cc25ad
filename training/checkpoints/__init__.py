"""Checkpoints of objects, and which of them are kept."""
