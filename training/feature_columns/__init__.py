"""`td.feature_column`."""
