"""TensorFlow Serving's API over the models that `td.load` reads: `td.serving`."""
