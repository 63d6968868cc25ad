"""`td.train.batch` and other queue-based input."""
