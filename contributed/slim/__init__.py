"""Training and evaluation as `td.contrib.slim` has them."""
