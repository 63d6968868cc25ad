"""Layers under the names and with the defaults of `td.contrib.layers`."""
