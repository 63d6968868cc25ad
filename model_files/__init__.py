"""Files and folders of models: loading, what a path means, freezing."""
