"""Pages of the site for the top-level folders: their modules, with summaries and public names."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

from tensordraft.graph.api.rooms import ROOMS

ROOT = Path(__file__).resolve().parent.parent


def room_pages() -> dict[str, str]:
    """The pages of the top-level folders, by name."""
    return {
        room.folder: "\n".join(_page(room.folder, room.purpose, room.start))
        for room in ROOMS
        if room.folder and "/" not in room.folder
    }


def _page(room: str, purpose: str, start: str) -> Iterator[str]:
    yield f"# {room}\n"
    yield f"{purpose[0].upper()}{purpose[1:]}. Start reading at {start}.\n"
    for folder in [
        ROOT / room,
        *sorted(path for path in (ROOT / room).rglob("*") if path.is_dir()),
    ]:
        modules = sorted(folder.glob("*.py"))
        if not modules:
            continue
        if folder != ROOT / room:
            yield f"## {folder.relative_to(ROOT).as_posix()}\n"
        for path in modules:
            yield from _module(path)
        yield ""


def _module(path: Path) -> Iterator[str]:
    """A line of a list: a module, what it is, and the public names that it holds."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    summary = (ast.get_docstring(tree) or "").partition("\n\n")[0].replace("\n", " ")
    if path.stem == "__init__" or not summary:
        return
    public: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "public":
            public = ast.literal_eval(node.value)
    names = [
        f"`{spaces.partition(',')[0]}.{name.partition('=')[0]}`"
        for spaces, words in public.items()
        for name in words.split()
    ]
    offers = f" Offers {', '.join(names)}." if names else ""
    yield f"- `{path.name}`: {summary}{offers}"
