"""Tf.Example, CSV, raw bytes."""
