"""Checking programs: they run, and their sessions work out dtypes and shapes alone."""
