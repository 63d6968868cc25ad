"""Boxes in images: which of many to keep, drawn, and drawn at random."""
