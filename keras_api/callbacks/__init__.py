"""`td.keras.callbacks`."""
