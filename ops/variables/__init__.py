"""Variables: what holds state, and the ops and functions that change it."""
