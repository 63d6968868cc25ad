"""Building blocks of ops: elementwise tables, GEMM, allocation, nesting."""
