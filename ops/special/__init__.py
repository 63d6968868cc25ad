"""Special functions: gamma, beta, error functions, Bessel."""
