"""ONNX graphs under construction: values, nodes, and how a rule sees an op."""
