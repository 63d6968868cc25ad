"""`td.contrib.slim`."""
