"""Runs the benchmarks: `make bench`, `make bench ARGS="engine ops"`, `make bench ARGS=--write`.

With `--tensorflow`, TensorFlow runs beside, in the same process, where it is installed.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
from libraries import tensorflow

if TYPE_CHECKING:
    from timing import Row

SECTIONS = (
    "engine", "loops", "ops", "models", "training", "large_training", "gradients", "memory",
    "files", "datasets", "checking",
)  # fmt: skip
PAGE = os.path.join(os.path.dirname(__file__), os.pardir, "docs", "performance.md")


def main(arguments: list[str]) -> int:
    """Runs the sections named, or all; with `--write`, puts their tables into the docs."""
    names = [argument for argument in arguments if not argument.startswith("-")] or SECTIONS
    tables: list[str] = []
    for name in names:
        section = importlib.import_module(name)
        print(f"\n{name}: {section.__doc__}")
        print(f"{'':42} {'ours':>10} {'theirs':>10} {'ratio':>6}")
        rows = []
        for row in section.rows():
            print(row, flush=True)
            rows.append(row)
        tables.append(_table(section.__doc__ or "", rows))
    if "--write" in arguments:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write("\n\n".join([_introduction(), *tables]) + "\n")
    return 0


def _introduction() -> str:
    return (
        "# Performance\n\n"
        "Written by `make bench ARGS=--write`. Each line compares two ways of doing the same work "
        "in one process: medians of alternating rounds. A ratio below 1 means that tensordraft is "
        "the faster; the aim is what the project sets itself.\n\n"
        f"Measured on {date.today():%Y-%m-%d}: {os.cpu_count()} cores ({platform.machine()}), "
        f"Python {platform.python_version()}, NumPy {np.__version__}{_beside()}."
    )


def _beside() -> str:
    tf = tensorflow()
    return "" if tf is None else f"; TensorFlow {tf.__version__} in the same process"


def _table(title: str, rows: list[Row]) -> str:
    header = ["", "ours", "theirs", "ratio", "aim"]
    table = [
        [
            row.name,
            row.shown(row.ours),
            row.shown(row.theirs),
            f"{row.ratio:.2f}",
            "" if row.limit is None else f"{row.limit:g}",
        ]
        for row in rows
    ]
    if any(row.tensorflow is not None for row in rows):
        header.append("TensorFlow")
        for cells, row in zip(table, rows, strict=True):
            cells.append("" if row.tensorflow is None else row.shown(row.tensorflow))
    summary, _, rest = title.strip().partition("\n")
    lines = [header, ["---"] * len(header), *table]
    return "\n".join(
        [
            f"## {summary}",
            *([rest] if rest else []),
            "",
            *[f"| {' | '.join(line)} |" for line in lines],
        ]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
