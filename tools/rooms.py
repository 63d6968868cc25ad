"""Writes what follows from the table of rooms, or checks it.

The table is `graph/api/rooms.py`. From it follow the packages in pyproject.toml, the table in
docs/architecture.md, and the navigation of the site in mkdocs.yml.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from tensordraft.graph.api.rooms import ROOMS, Room

ROOT = Path(__file__).resolve().parent.parent


def packages() -> str:
    """The entries of `packages` in pyproject.toml."""
    names = ["tensordraft", *(f"tensordraft.{room.folder.replace('/', '.')}" for room in _named())]
    return "".join(f'    "{name}",\n' for name in names)


def architecture() -> str:
    """The table of the top-level folders, and below it that of the folders inside."""
    lines = ["| Folder | What lives there | Start reading at |\n", "| --- | --- | --- |\n"]
    for room in _top_level():
        modules = room.start.split(", ")
        start = ", ".join(f"`{room.folder}/{module}`" for module in modules)
        lines.append(f"| `{room.folder}/` | {room.purpose} | {start} |\n")
    for room in _top_level():
        inside = [inner for inner in _named() if inner.folder.startswith(f"{room.folder}/")]
        if inside:
            texts = [
                f"`{inner.folder.removeprefix(room.folder)[1:]}/` ({inner.purpose})"
                for inner in inside
            ]
            lines.append(f"\nInside `{room.folder}/`: {', '.join(texts)}.\n")
    return "".join(lines)


def navigation() -> str:
    """The entries of the site's navigation."""
    return "".join(f"      - {room.folder}: rooms/{room.folder}.md\n" for room in _top_level())


def _named() -> list[Room]:
    return [room for room in ROOMS if room.folder]


def _top_level() -> list[Room]:
    return [room for room in _named() if "/" not in room.folder]


# For each file what stands before the generated lines, the lines, and what stands behind them.
_PARTS = {
    "pyproject.toml": (r"packages = \[\n", packages, r"\]"),
    "docs/architecture.md": (r"<!-- rooms -->\n", architecture, r"<!-- end of rooms -->"),
    "mkdocs.yml": (r"      - Code overview: architecture\.md\n", navigation, r"  - "),
}


def main() -> int:
    """Writes the files, or with `--check` reports those that would change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if outdated")
    check = parser.parse_args().check
    outdated = 0
    for name, (before, lines, behind) in _PARTS.items():
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        pattern = re.compile(rf"({before}).*?(?=^{behind})", re.DOTALL | re.MULTILINE)
        match = pattern.search(text)
        if match is None:
            sys.exit(f"{name} has no place for the rooms: {before!r} … {behind!r}")
        new = text[: match.start()] + match[1] + lines() + text[match.end() :]
        if new != text and check:
            print(f"{name} is outdated: run `make docs`")
            outdated += 1
        elif new != text:
            path.write_text(new, encoding="utf-8")
    return int(outdated > 0)


if __name__ == "__main__":
    sys.exit(main())
