"""`td.contrib.training`."""
