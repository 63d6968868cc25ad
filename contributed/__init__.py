"""What programs use most of `contrib`: adapters of arguments over layers, losses and training."""
