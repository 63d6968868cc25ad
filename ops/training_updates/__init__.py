"""The steps of optimizers: ops that change a variable by a gradient."""
