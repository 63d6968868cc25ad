"""Writes docs/ops.md, the list of all ops, from signatures and docstrings."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections import defaultdict
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import tensordraft as td
from tensordraft.graph.convert import make_constant
from tensordraft.graph.registry import definitions, find

if TYPE_CHECKING:
    from collections.abc import Iterator

OUTPUT = Path(__file__).resolve().parent / "ops.md"
OPS = "tensordraft.ops."

HEADER = """\
# Ops

Every function that adds ops to a graph, by family. The *wire ops* are the op types that it may
make, under the names that they have in a graph file and in TensorFlow. Arguments, errors and
examples are in the docstrings: `help(td.gather)`. `tensordraft ops` lists all op types with their
signatures; `tensordraft ops FILE` tells which of them a file needs.

This page is made by `make docs`; change the docstrings instead.
"""


class Function(NamedTuple):
    """A public function: the module it is written in, and the names users call it by."""

    family: str
    names: tuple[str, ...]
    signature: str
    summary: str
    wire_ops: tuple[str, ...]


def public_functions() -> list[Function]:
    """The public functions that are written in the ops folder, by name."""
    names: dict[FunctionType, list[str]] = defaultdict(list)
    for name, function in _exported(td, "td"):
        names[function].append(name)
    functions = []
    for function, aliases in names.items():
        aliases.sort(key=lambda alias: (alias.rpartition(".")[2] != function.__name__, alias))
        functions.append(
            Function(
                function.__module__.removeprefix(OPS),
                tuple(aliases),
                aliases[0] + _signature(function),
                (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " "),
                _wire_ops(function),
            )
        )
    return sorted(functions, key=lambda function: function.names[0].lower())


def _exported(namespace: ModuleType, prefix: str) -> Iterator[tuple[str, FunctionType]]:
    for name in dir(namespace):
        value = getattr(namespace, name)
        if name.startswith("_"):
            continue
        if isinstance(value, FunctionType) and value.__module__.startswith(OPS):
            yield f"{prefix}.{name}", value
        elif _is_namespace(value):
            yield from _exported(value, f"{prefix}.{name}")


def _is_namespace(value: Any) -> bool:
    """Whether `value` is a module such as `td.nn`, and none of the package's own folders."""
    if not isinstance(value, ModuleType) or hasattr(value, "__path__"):
        return False
    return value.__name__.rpartition(".")[0] == "tensordraft"


def _signature(function: FunctionType) -> str:
    signature = inspect.signature(function)
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
    ]
    return str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def _wire_ops(function: FunctionType) -> tuple[str, ...]:
    """The op types that `function` makes, itself (first) or through other functions of the ops."""
    found: dict[str, None] = {}
    pending: list[Any] = [function]
    seen: set[int] = set()
    for value in pending:
        if id(value) in seen:
            continue
        seen.add(id(value))
        match value:
            case td.OpDef():
                found[value.name] = None
            case dict():
                pending.extend(value.values())
            case tuple() | list():
                pending.extend(value)
            case FunctionType() if value is make_constant:
                found["Const"] = None
            case FunctionType() if value.__module__.startswith(OPS):
                pending.extend(_mentioned(value))
    return tuple(found)


def _mentioned(function: FunctionType) -> Iterator[Any]:
    """What the code of `function` refers to: globals, closed-over values, looked-up op types."""
    yield from (cell.cell_contents for cell in function.__closure__ or ())
    codes = [function.__code__]
    for code in codes:
        codes.extend(item for item in code.co_consts if isinstance(item, CodeType))
        yield from (function.__globals__.get(name) for name in code.co_names)
        if "lookup" in code.co_names:
            yield from (find(item) for item in code.co_consts if isinstance(item, str))


def page() -> str:
    """The text of docs/ops.md."""
    functions = public_functions()
    families: dict[str, list[Function]] = defaultdict(list)
    for function in functions:
        families[function.family].append(function)
    made = {op for function in functions for op in function.wire_ops}
    others = [definition.name for definition in definitions() if definition.name not in made]
    parts = [HEADER]
    for family in sorted(families):
        parts += _family(family, families[family])
    parts.append("## Without a function\n")
    parts.append(f"Graph files may also hold {_listed(others)}.\n")
    return "\n".join(parts)


def _family(family: str, functions: list[Function]) -> Iterator[str]:
    yield f"## {family}\n"
    yield f"{(sys.modules[OPS + family].__doc__ or '').partition(chr(10))[0]}\n"
    for function in functions:
        yield f"### {function.names[0]}\n"
        yield f"```python\n{function.signature}\n```\n"
        yield f"{function.summary}\n"
        if len(function.names) > 1:
            yield f"Also called {_listed(function.names[1:])}.\n"
        if function.wire_ops:
            yield f"Wire ops: {_listed(function.wire_ops)}\n"


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def main() -> int:
    """Writes, or checks, the page; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if outdated")
    check = parser.parse_args().check
    text = page()
    if OUTPUT.exists() and OUTPUT.read_text(encoding="utf-8") == text:
        return 0
    if check:
        print(f"{OUTPUT.name} is outdated: run `make docs`")
        return 1
    OUTPUT.write_text(text, encoding="utf-8")
    print(f"wrote {OUTPUT.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
