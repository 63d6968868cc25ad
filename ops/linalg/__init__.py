"""Matrix products, decompositions, linear systems."""
