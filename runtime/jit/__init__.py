"""Machine code compiled by numba: the accelerator and its cache."""
