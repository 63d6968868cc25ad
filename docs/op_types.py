"""Which op types of TensorFlow r1.15 work, and why others do not: op_types.txt on the page."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill

from public_names import listed

from tensordraft.graph.registry import find

PATH = Path(__file__).resolve().with_name("op_types.txt")
WORKS = "works"

_PAGE = """\
## The op types of TensorFlow 1.15

Of the {total} op types in TensorFlow r1.15's registry (without the libraries that tf.contrib
loads) {working} work. A graph that holds one of the others loads all the same: it is kept, shown
and saved, and what does not need it runs.
"""


def groups(text: str) -> dict[str, list[str]]:
    """The op types of the list by what is said of them: `works`, or why they do not."""
    blocks = text.split("\n\n")[1:]
    parted = [block.partition(":\n") for block in blocks]
    return {said.replace("\n", " "): names.split() for said, _, names in parted}


def up_to_date(text: str) -> str:
    """The list, in which what has come to work stands among what works."""
    found = groups(text)
    there = [name for names in found.values() for name in names if find(name)]
    by_reason = {said: [n for n in names if not find(n)] for said, names in found.items()}
    by_reason[WORKS] = sorted([*by_reason[WORKS], *there], key=_place)
    parts = [
        f"{said}:\n{fill(' '.join(names), 100, break_long_words=False)}\n"
        for said, names in by_reason.items()
        if names
    ]
    return "\n".join([text.partition("\n\n")[0] + "\n", *parts])


def _place(name: str) -> tuple[str, str]:
    return name.strip("_").lower(), name


def section(text: str) -> str:
    """What the page of the ops says of them."""
    found = groups(text)
    total = sum(map(len, found.values()))
    parts = [_PAGE.format(total=total, working=len(found[WORKS]))]
    for said, names in found.items():
        what = "Works" if said == WORKS else f"Not there, since {said}"
        parts.append(f"{what} ({len(names)}): {listed(names)}.\n")
    return "\n".join(parts)
