"""Exit codes of the process."""

from __future__ import annotations

OK, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130

EXIT_CODES = {
    OK: "it worked",
    FAILED: "it did not; stderr says why, or what was printed is the finding",
    MISUSED: "the command was not understood, and nothing was done",
    INTERRUPTED: "it was interrupted",
}


def exit_code_lines() -> str:
    """The codes with what they mean, line by line."""
    return "\n".join(f"  {code:3}  {meaning}" for code, meaning in EXIT_CODES.items())
