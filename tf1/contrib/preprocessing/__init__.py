"""`td.contrib.learn.preprocessing`."""
