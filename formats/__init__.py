"""Bytes on disk: records, sorted tables, event files, atomic writes."""
