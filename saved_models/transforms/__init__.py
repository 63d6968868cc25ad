"""Graphs made smaller and faster before they are served: what the tools of TensorFlow 1.x did."""
