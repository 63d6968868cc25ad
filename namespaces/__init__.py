"""Functions under the names of namespaces of TensorFlow, such as `td.math` and `td.linalg`."""
