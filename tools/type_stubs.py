"""Writes what type checkers and editors read: a stub for the package, and one for each namespace.

The names come from the `public` tables of the modules, which are read and not run, so that this
works where nothing is installed. `make types` writes the stubs into the checkout; a build puts them
into the wheel.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = sorted(init.parent for init in ROOT.glob("[!.]*/__init__.py"))
HEADER = "# Written by tools/type_stubs.py from the public tables of the modules.\n"


def stubs() -> dict[str, str]:
    """The text of each stub, by the name of its file."""
    imports: dict[str, list[str]] = defaultdict(list)
    for path in sorted(path for package in PACKAGES for path in package.rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for namespace, name, own in public(path):
            imports[namespace].append(_statement(module, name, own))
    around = {  # these may have no others
        namespace[:end]
        for namespace in imports
        for end, letter in enumerate(namespace)
        if letter == "."
    }
    for namespace in sorted({*imports, *around} - {"td", ""}):
        parent, _, name = namespace.rpartition(".")
        imports[parent].append(_statement("", name, _stem(namespace)))
    imports["td"] += ["from .ops import raw_ops as raw_ops", "", "__version__: str"]
    return {
        _stem(namespace) + ".pyi": "\n".join([HEADER, *lines, ""])
        for namespace, lines in imports.items()
    }


def _stem(namespace: str) -> str:
    """The name of the stub of a namespace; private for one inside another."""
    names = namespace.split(".")[1:]
    return "_" + "_".join(names) if len(names) > 1 else "".join(names) or "__init__"


def _statement(module: str, name: str, own: str) -> str:
    """Takes a name over from a module; in a stub, only `x as x` is public."""
    if name == own:
        return f"from .{module} import {name} as {name}"
    return f"from .{module} import {own} as _{own}\n{name} = _{own}"


def public(path: Path) -> Iterator[tuple[str, str, str]]:
    """Public names of a module: namespace, public name, and name in the module."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        match node:
            case ast.Assign(targets=[ast.Name("public")]):
                for namespaces, names in ast.literal_eval(node.value).items():
                    for namespace in namespaces.split(", "):
                        for entry in names.split():
                            name, _, own = entry.partition("=")
                            yield namespace, name, own or name


def write(folder: Path) -> list[str]:
    """Writes all stubs into a folder; returns their paths."""
    written = []
    for file, text in stubs().items():
        (folder / file).write_text(text, encoding="utf-8")
        written.append(str(folder / file))
    return written


class BuildWithStubs(build_py):
    """Adds the stubs to what is built."""

    def run(self) -> None:
        """Builds the modules, then the stubs."""
        super().run()
        if not self.editable_mode:
            write(Path(self.build_lib) / "tensordraft")


if __name__ == "__main__":
    write(ROOT)
