"""Scopes that ops are made in: names, devices, collections, and each thread's default graph."""
