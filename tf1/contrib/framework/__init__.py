"""`td.contrib.framework`."""
