"""Neural networks: activations, losses, normalization, parts of layers."""
