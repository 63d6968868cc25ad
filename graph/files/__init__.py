"""Bytes and messages on disk: records, tables, event files; graphs are unknown here."""
