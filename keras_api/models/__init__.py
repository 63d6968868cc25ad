"""`td.keras.Model`: fitting, configs, HDF5 files."""
