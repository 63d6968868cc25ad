"""The steps of optimizers as ops."""
