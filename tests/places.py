"""Where the files are that tests read: beside the package, of which the tests are no part."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).resolve().parent
GOLDEN = TESTS / "golden"
ROOT = TESTS.parent
EXAMPLES = ROOT / "examples"
