"""`td.losses`."""
