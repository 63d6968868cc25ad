"""The core: `OpDef`, `Operation`, `Tensor`, `Graph`, conversion to tensors."""
