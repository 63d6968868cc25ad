"""`td.keras.layers` but recurrent ones."""
