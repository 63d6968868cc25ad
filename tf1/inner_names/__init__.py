"""Names of TensorFlow's inner modules for what tensordraft has under another name."""
