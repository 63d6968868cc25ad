"""The `tensordraft` command."""
