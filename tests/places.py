"""Where the files are that tests read: beside the package, of which the tests are no part."""

from __future__ import annotations

from pathlib import Path

from tensordraft.graph.api.source_locations import Site

TESTS = Path(__file__).resolve().parent
GOLDEN = TESTS / "golden"
ROOT = TESTS.parent
EXAMPLES = ROOT / "examples"


def created_in(file: str) -> str:
    """What a message says of an op that a file has made, up to the number of the line."""
    return f"created at {Site(file, 0)}"[:-1]
