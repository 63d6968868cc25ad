"""Metrics of Keras as objects: means, counts at thresholds, and curves of them."""
