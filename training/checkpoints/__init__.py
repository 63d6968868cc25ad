"""`td.train.Checkpoint` and `CheckpointManager`."""
