"""`td.keras`."""
