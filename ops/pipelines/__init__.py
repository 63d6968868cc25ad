"""Input pipelines: what programs build of datasets, and iterate over."""
