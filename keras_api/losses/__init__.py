"""`td.keras.losses`."""
