"""Layers: ops with variables of their own, as functions and as classes: `td.layers`."""
