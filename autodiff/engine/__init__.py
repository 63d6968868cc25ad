"""Reverse mode: backpropagation and accumulation."""
