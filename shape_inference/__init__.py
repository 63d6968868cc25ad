"""`TensorShape`, shape rules shared by many ops, and the inference engine."""
