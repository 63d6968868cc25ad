"""Optimizers: from gradients to the ops that update variables."""
