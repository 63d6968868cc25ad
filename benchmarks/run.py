"""Runs the benchmarks: `make bench`, `make bench ARGS="engine ops"`, `make bench ARGS=--write`."""

from __future__ import annotations

import importlib
import os
import platform
import sys
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from timing import Row

SECTIONS = ("engine", "ops", "memory", "files", "checking")
PAGE = os.path.join(os.path.dirname(__file__), os.pardir, "docs", "performance.md")


def main(arguments: list[str]) -> int:
    """Runs the sections named, or all; with `--write`, puts their tables into the docs."""
    write = "--write" in arguments
    names = [argument for argument in arguments if argument != "--write"] or SECTIONS
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
    if write:
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
        f"Python {platform.python_version()}, NumPy {np.__version__}."
    )


def _table(title: str, rows: list[Row]) -> str:
    lines = [
        f"## {title.strip()}",
        "",
        "| | ours | theirs | ratio | aim |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        aim = "" if row.limit is None else f"{row.limit:g}"
        lines.append(
            f"| {row.name} | {row.shown(row.ours)} | {row.shown(row.theirs)} "
            f"| {row.ratio:.2f} | {aim} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
