"""Quantized and fake-quantized arithmetic."""
