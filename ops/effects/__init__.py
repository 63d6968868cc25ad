"""Ops run for their effect and in order: assertions, prints, Python callbacks, grouping."""
