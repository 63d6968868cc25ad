"""Models of TensorFlow Lite, translated to ops of TensorFlow."""
