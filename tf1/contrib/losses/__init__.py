"""`td.contrib.losses`."""
