"""`td.contrib.layers`."""
