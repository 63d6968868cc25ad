"""The wire format: messages, data types, and the codecs between them and NumPy."""
