"""`td.keras.metrics`."""
