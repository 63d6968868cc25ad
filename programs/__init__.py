"""Programs written for TensorFlow 1.x: run under the name of TensorFlow, or only read through."""
