"""Quantized tensors: small integers that stand for floats, and fake quantization."""
