"""`td.estimator`."""
