"""`td.keras.preprocessing` and `td.keras.utils`."""
