"""Gradients of branches, loops and function calls."""
