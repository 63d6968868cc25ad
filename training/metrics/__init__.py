"""`td.metrics`."""
