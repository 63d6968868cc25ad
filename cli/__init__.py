"""The `tensordraft` command: one module for each subcommand."""
