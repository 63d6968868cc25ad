"""Monitored sessions, hooks, supervisor."""
