"""Recurrent layers and cells of Keras."""
