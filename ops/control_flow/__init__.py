"""`cond`, `while_loop`, `map_fn`, functions."""
