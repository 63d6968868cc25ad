"""Graphs and models in files: `save_graph`, `Saver`, SavedModels, editing, freezing."""
