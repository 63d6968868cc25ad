"""Gradients, as ops of the same graph: the engine, and in `rules` what each op contributes."""
