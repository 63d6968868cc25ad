"""`get_variable`, variable scopes, global step, moving averages."""
