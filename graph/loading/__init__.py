"""Graphs from files and to files: load, save, and events that show them."""
