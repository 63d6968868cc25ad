"""What only private modules of TensorFlow hold."""
