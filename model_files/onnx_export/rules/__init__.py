"""Rules that write ops in ONNX, in files named after the folders of `ops`."""
