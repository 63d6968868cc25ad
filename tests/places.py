"""Folders of the files that tests read: beside the package, which does not hold the tests."""

from __future__ import annotations

from pathlib import Path

from tensordraft.graph.api.source_locations import Site

TESTS = Path(__file__).resolve().parent
GOLDEN = TESTS / "golden"
ROOT = TESTS.parent
EXAMPLES = ROOT / "examples"


def created_in(file: str) -> str:
    """The part of a message that names the file that created an op, up to the line number."""
    return f"created at {Site(file, 0)}"[:-1]
