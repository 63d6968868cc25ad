"""`td.contrib.metrics`."""
