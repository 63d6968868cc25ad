"""File readers, reading and writing files."""
