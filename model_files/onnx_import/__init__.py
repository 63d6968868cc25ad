"""ONNX models: their format, and a rule for each of their ops."""
