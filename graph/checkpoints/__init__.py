"""Checkpoints, meta graphs and saved models, of this library and of TensorFlow."""
