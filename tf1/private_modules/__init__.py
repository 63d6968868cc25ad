"""Names that exist only in private modules of TensorFlow."""
