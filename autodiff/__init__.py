"""`td.gradients`: the engine and the rule of each op."""
