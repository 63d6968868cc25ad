"""Recurrent layers of Keras: cells along the steps of sequences, and layers around layers."""
