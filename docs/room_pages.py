"""How it works, a page for each room: what its modules say of themselves, and what they offer."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent


def room_pages() -> dict[str, str]:
    """The pages, by the name of the room; rooms are those in the table of the architecture."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\| `(\w+)/` \| (.+) \| (.+) \|$", text)
    return {room: "\n".join(_page(room, told, first)) for room, told, first in rows}


def _page(room: str, told: str, first: str) -> Iterator[str]:
    yield f"# {room}\n"
    yield f"{told[0].upper()}{told[1:]}. Start reading at {first}.\n"
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
    told = (ast.get_docstring(tree) or "").partition("\n\n")[0].replace("\n", " ")
    if path.stem == "__init__" or not told:
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
    yield f"- `{path.name}`: {told}{offers}"
