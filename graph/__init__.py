"""Graphs: op definitions, operations and tensors, scopes, conversion, import and export."""
