"""Graphs and models in files: `td.load`, `load_graph`, `Saver`, SavedModels, freezing."""
