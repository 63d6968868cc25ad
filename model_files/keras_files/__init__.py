"""Keras models in files: HDF5 and archives, as frozen graphs."""
