"""Meta graphs, object checkpoints, pickled graphs."""
