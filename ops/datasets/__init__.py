"""Datasets: what ops make of them, and how their elements come one after the other."""
