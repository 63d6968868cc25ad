"""Metrics that are counted in local variables, batch after batch: `td.metrics`."""
