"""`td.test`."""
