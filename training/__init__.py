"""Training: what drives the updates of variables, and the sessions that they run in."""
