"""An Atheris target: no graph file may do more than raise one of our errors.

    python -m venv fuzzing && fuzzing/bin/pip install atheris --editable .
    fuzzing/bin/python tests/fuzz/fuzz_graph_files.py corpus tests/golden/files -max_total_time=1800

`corpus` is a folder for what the fuzzer finds interesting. A crash is saved as `crash-…`; running
the target with that file as its only argument shows it again.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris  # type: ignore[import-untyped]

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

with atheris.instrument_imports(include=["tensordraft"]):
    from hostile_files import drive


def main() -> None:
    """Hands over to the fuzzer."""
    atheris.Setup(sys.argv, drive)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
