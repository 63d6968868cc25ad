"""Models in files of every format: opened, called, converted."""
