"""Linear algebra: products, einsum, decompositions, inverses, systems of equations."""
