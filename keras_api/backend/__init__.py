"""`td.keras.backend`."""
