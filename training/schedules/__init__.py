"""Rates that change with the step."""
