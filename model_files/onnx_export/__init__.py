"""Export of graphs as ONNX models: `td.save_onnx`."""
