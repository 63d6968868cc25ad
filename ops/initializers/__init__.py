"""Initial values of variables: constants, and random numbers scaled for layers."""
