"""Readers: what turns the names of files, from a queue, into records."""
