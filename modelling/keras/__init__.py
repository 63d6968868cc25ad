"""Layers under the names of Keras: `td.keras.layers`."""
