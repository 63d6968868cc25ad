"""Initial values of variables."""
