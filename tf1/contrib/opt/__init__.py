"""`td.contrib.opt`."""
