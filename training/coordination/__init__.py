"""Threads, clusters and distribution strategies."""
