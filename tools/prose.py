"""Checks docstrings and comments against the glossary in CONTRIBUTING.md.

A docstring opens with a noun phrase or an imperative, and the words below have a plainer or more
exact equivalent. `make lint` runs this.
"""

from __future__ import annotations

import ast
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_FOLDERS = ("tests/golden", "build", "docs/notebooks")
_OPENING = re.compile(r"(What|Which|Of|How|Whether)\b")
# A word that is to go, and what to write instead.
_WORDS = {
    r"tells?|told": "reports, returns, raises, specifies",
    "anew": "again",
    "nobody": "no caller, no thread",
    "whoever": "the caller",
}
_WORD = re.compile(rf"\b({'|'.join(_WORDS)})\b", re.IGNORECASE)
# How many lines may still hold such a word; lower it when some have gone.
_MOST_LINES = 60


def sources() -> Iterator[Path]:
    """Yields the Python files of the repository."""
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith((".", *_FOLDERS)) and not name.endswith("_pb2.py"):
            yield path


def openings(path: Path, tree: ast.AST) -> Iterator[str]:
    """Yields a complaint for each docstring that opens with a question word."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, kinds) and (text := ast.get_docstring(node)):
            match = _OPENING.match(text)
            if match:
                line = getattr(node, "lineno", 1)
                yield f"{path.relative_to(ROOT)}:{line}: a docstring opens with {match[1]!r}"


def words(path: Path) -> Iterator[str]:
    """Yields a complaint for each line of a comment or string that holds a word of the list."""
    lines = set[int]()
    with open(path, "rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type in (tokenize.COMMENT, tokenize.STRING):
                for offset, line in enumerate(token.string.splitlines()):
                    if _WORD.search(line):
                        lines.add(token.start[0] + offset)
    text = path.read_text(encoding="utf-8").splitlines()
    for number in sorted(lines):
        match = _WORD.search(text[number - 1])
        if match:
            better = next(
                value for key, value in _WORDS.items() if re.fullmatch(key, match[1], re.IGNORECASE)
            )
            yield f"{path.relative_to(ROOT)}:{number}: {match[1]!r}: write {better}"


def main() -> int:
    """Prints what the check finds; returns the exit status."""
    wrong: list[str] = []
    listed: list[str] = []
    for path in sources():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        wrong += openings(path, tree)
        listed += words(path)
    print("\n".join(wrong + (listed if len(listed) > _MOST_LINES else [])), end="")
    if wrong or len(listed) > _MOST_LINES:
        print(f"\n{len(wrong)} docstrings, {len(listed)} lines (at most {_MOST_LINES})")
    return int(bool(wrong) or len(listed) > _MOST_LINES)


if __name__ == "__main__":
    sys.exit(main())
