"""Summaries: what a program tells TensorBoard of one step, as serialized messages."""
