"""Saving variables to checkpoints and restoring them: the Saver, and TensorFlow's ops."""
