"""Activations, normalization, losses, embeddings, CTC."""
