"""Queues, and what else sessions keep for programs of several threads."""
