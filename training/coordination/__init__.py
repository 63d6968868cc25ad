"""Threads that begin, stop and fail together."""
