"""Moments, norms, histograms, counts, and clipping by norms."""
