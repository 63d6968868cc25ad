"""Exit codes of the process."""

from __future__ import annotations

OK, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130

EXIT_CODES = {
    OK: "it worked",
    FAILED: "failure; stderr gives the reason, or the output is the finding",
    MISUSED: "usage error; nothing was done",
    INTERRUPTED: "interrupted",
}


def exit_code_lines() -> str:
    """The codes and their meanings, one per line."""
    return "\n".join(f"  {code:3}  {meaning}" for code, meaning in EXIT_CODES.items())
