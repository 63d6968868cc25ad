"""TensorFlow.js models, read and written."""
