"""Moments, norms, histograms, clipping by norm."""
