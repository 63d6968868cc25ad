"""Models in files of every format: loading, freezing, conversion, serving."""
