"""For programs of TensorFlow 1.x: `td.contrib`, `td.estimator`, flags, `td.test`."""
