"""What models are made of and judged by: layers, losses, metrics, regularizers."""
