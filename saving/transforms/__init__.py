"""`optimize` and the graph transforms of 1.x."""
