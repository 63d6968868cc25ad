"""Hyperparameters, train ops and waiting for checkpoints: `td.contrib.training`."""
