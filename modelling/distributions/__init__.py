"""Distributions of random numbers: drawing them, and how likely they are."""
