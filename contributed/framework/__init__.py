"""Scopes of arguments, variables of models, values from checkpoints: `td.contrib.framework`."""
