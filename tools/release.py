"""Builds the sdist and the wheel of a release, checks both, and tags the commit.

Nothing is uploaded. The checklist is in CONTRIBUTING.md.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def version() -> str:
    """The version in `__init__.py`, the only place that holds it."""
    text = (ROOT / "__init__.py").read_text(encoding="utf-8")
    return re.findall(r'(?m)^__version__ = "(.+)"$', text)[0]


def output(*command: str) -> str:
    """Output of a command."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def main() -> int:
    """Runs the release; returns the exit status."""
    number = version()
    if output("git", "status", "--porcelain"):
        sys.exit("there are uncommitted changes: commit them first")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"(?m)^## {re.escape(number)}, \d{{4}}-\d\d-\d\d$", changes):
        sys.exit(f"CHANGELOG.md has no heading '## {number}, YYYY-MM-DD'")
    subprocess.run([sys.executable, "-m", "build", "--outdir", "dist", "."], cwd=ROOT, check=True)
    names = sorted(path.name for path in (ROOT / "dist").iterdir() if number in path.name)
    if len(names) != 2:
        sys.exit(f"expected an sdist and a wheel of {number} in dist/, got {names}")
    output("git", "tag", "--annotate", f"v{number}", "--message", f"tensordraft {number}")
    print(f"tagged v{number}; built {', '.join(names)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
