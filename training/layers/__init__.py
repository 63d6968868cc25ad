"""`td.layers`."""
