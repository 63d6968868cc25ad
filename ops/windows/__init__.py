"""Windows that slide over space: convolution, pooling, patches."""
