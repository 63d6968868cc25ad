"""Columns of features, and the layers that take them: `td.feature_column`."""
