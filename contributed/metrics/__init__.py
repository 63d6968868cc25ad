"""Metrics that take predictions first: `td.contrib.metrics`."""
