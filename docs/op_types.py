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
    """The section of the reference on all op types of TensorFlow 1.15."""
    working = [name for name in groups(text)[ALL] if find(name)]
    return f"{missing(text)}\nWorks ({len(working)}): {listed(working)}.\n"


def missing(text: str) -> str:
    """The number of op types that work, and the others with reasons."""
    by_reason = groups(text)
    names = by_reason.pop(ALL)
    parts = [_PAGE.format(total=len(names), working=sum(find(name) is not None for name in names))]
    for reason, absent in by_reason.items():
        parts.append(f"- Missing, since {reason}: {listed(absent)}.")
    return "\n".join(parts) + "\n"
