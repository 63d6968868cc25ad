"""`td.train.Optimizer` and its subclasses."""
