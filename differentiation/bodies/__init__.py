"""Gradients of ops that run functions of a graph: branches, loops and calls."""
