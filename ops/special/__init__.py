"""Special functions: gamma, beta, Bessel, error and zeta functions."""
