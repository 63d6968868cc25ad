"""`td.keras.optimizers`."""
