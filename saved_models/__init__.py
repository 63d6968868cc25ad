"""Models as folders and files: SavedModels written and read, and any of them ready to run."""
