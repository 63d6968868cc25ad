"""Supported op types of TensorFlow r1.15, and reasons for the others: op_types.txt as a page."""

from __future__ import annotations

from pathlib import Path

from public_names import listed

from tensordraft.graph.registry import find

PATH = Path(__file__).resolve().with_name("op_types.txt")
ALL = "all"

_PAGE = """\
## The op types of TensorFlow 1.15

Of the {total} op types in TensorFlow r1.15's registry (without the libraries that tf.contrib
loads) {working} work. A graph that holds one of the others loads all the same: it is kept, shown
and saved, and what does not need it runs.
"""


def groups(text: str) -> dict[str, list[str]]:
    """The op types of the list: all of them, and by reason those that do not work."""
    blocks = text.split("\n\n")[1:]
    parted = [block.partition(":\n") for block in blocks]
    return {said.replace("\n", " "): names.split() for said, _, names in parted}


def up_to_date(text: str) -> str:
    """The list without the reasons of what has come to work; its lines stay as they are."""
    head, *blocks = text.split("\n\n")
    kept = [head]
    for block in blocks:
        said, _, names = block.partition(":\n")
        left = names if said == ALL else _without_working(names)
        kept += [f"{said}:\n{left}"] if left else []
    return "\n\n".join(kept).rstrip("\n") + "\n"


def _without_working(names: str) -> str:
    lines = [" ".join(n for n in line.split() if not find(n)) for line in names.splitlines()]
    return "\n".join(line for line in lines if line)


def section(text: str) -> str:
    """Text of the page of ops."""
    found = groups(text)
    names = found.pop(ALL)
    working = [name for name in names if find(name)]
    parts = [_PAGE.format(total=len(names), working=len(working))]
    parts.append(f"Works ({len(working)}): {listed(working)}.\n")
    for said, absent in found.items():
        parts.append(f"Not there, since {said} ({len(absent)}): {listed(absent)}.\n")
    return "\n".join(parts)
