"""Random numbers as TensorFlow's CPU kernels draw them."""
