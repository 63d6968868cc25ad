"""Runs the benchmarks and prints a table: `make bench`, or `make bench ARGS="engine ops"`."""

from __future__ import annotations

import importlib
import sys

SECTIONS = ("engine", "ops", "memory")


def main(arguments: list[str]) -> int:
    """Runs the sections named, or all."""
    for name in arguments or SECTIONS:
        section = importlib.import_module(name)
        print(f"\n{name}: {section.__doc__}")
        print(f"{'':42} {'ours':>10} {'theirs':>10} {'ratio':>6}")
        for row in section.rows():
            print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
