"""The optimizers of `td.contrib.opt` that programs use."""
