"""The page on all that is public: classes, functions and constants, and an index of every name."""

from __future__ import annotations

import inspect
import sys
from collections import defaultdict
from collections.abc import Iterator
from types import FunctionType

from google.protobuf.message import Message
from public_names import Name, listed, public_names, signature, summary

import tensordraft as td
from tensordraft.graph.api.namespaces import NAMESPACES

OPS = "ops."

HEADER = """\
# Reference

Every public name, by subject; at the end stand all names in order. Functions that add ops to a
graph are in [ops.md](ops.md). Arguments, errors and examples are in the docstrings:
`help(td.Session)`.

This page is made from docstrings.
"""

CONSTANTS = {
    "td.TensorLike": "for annotations: values that ops accept as tensors",
    "td.AUTO_REUSE": "for `td.variable_scope`: variables are made where they are missing",
    "td.GRAPH_DEF_VERSION": "the version that is written to graphs, as their producer",
    "td.GRAPH_DEF_VERSION_MIN_CONSUMER": "the oldest reader that graphs ask for",
    "td.GRAPH_DEF_VERSION_MIN_PRODUCER": "the oldest writer whose graphs are read",
    "td.QUANTIZED_DTYPES": "the quantized dtypes, and their reference forms",
    "td.config": "the limits of the library: see `help(td.config)`",
    "td.COMPILER_VERSION": "what the library was compiled with: nothing",
    "td.GIT_VERSION": "the same as `td.VERSION`, as a tag",
    "td.VERSION": "the release of TensorFlow whose names these are, 1.15.0",
    "td.newaxis": "in brackets: a new dimension of size 1",
}


def page() -> str:
    """The page of all public names, for the site."""
    names = public_names()
    subjects: dict[str, list[Name]] = defaultdict(list)
    for name in names:
        if name.is_described and not is_op(name):
            subjects[name.module].append(name)
    parts = [HEADER, "| Namespace | |\n| --- | --- |"]
    parts += [f"| `{name}` | {text} |" for name, text in NAMESPACES.items()]
    parts.append("")
    for module in sorted(subjects, key=lambda module: module.rpartition(".")[2]):
        parts += _subject(module, subjects[module])
    parts += _dtypes(names)
    parts += _constants(names)
    parts += _index(names)
    return "\n".join(parts)


def is_op(name: Name) -> bool:
    """Returns True if a name is an op function, which has a page of its own."""
    return isinstance(name.value, FunctionType) and name.module.startswith(OPS)


def _subject(module: str, names: list[Name]) -> Iterator[str]:
    source = sys.modules[f"tensordraft.{module}"]
    yield f"## {module.rpartition('.')[2]}\n"
    yield f"{(source.__doc__ or '').partition(chr(10))[0]}\n"
    for name in names:
        yield f"### {name.name}\n"
        yield f"```python\n{name.name}{signature(name.value)}\n```\n"
        yield f"{summary(name.value)}\n"
        if name.aliases:
            yield f"Also called {listed(name.aliases)}.\n"
        if isinstance(name.value, type):
            members = list(_members(name.value))
            if members:
                yield "\n".join(members) + "\n"


def _members(kind: type) -> Iterator[str]:
    """Members of a class that no other public class has documented yet."""
    public = {name.value for name in public_names() if isinstance(name.value, type)} - {kind}
    if issubclass(kind, Message):
        return
    for member in dir(kind):
        # What enumerations list of their metaclass is at home in none of their bases.
        home = next((base for base in kind.__mro__ if member in vars(base)), object)
        documented = any(base in public and issubclass(base, home) for base in kind.__mro__[1:])
        if member.startswith("_") or documented or not _is_ours(home):
            continue
        value = inspect.getattr_static(kind, member)
        if isinstance(value, property):
            yield f"- `{member}`: {summary(value)}"
        elif isinstance(value, (FunctionType, staticmethod, classmethod)):
            method = getattr(kind, member)
            own = "" if isinstance(value, FunctionType) else f"{kind.__name__}."
            text = signature(method).replace("(self, ", "(", 1).replace("(self)", "()", 1)
            yield f"- `{own}{member}{text}`: {summary(method)}"


def _is_ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == "tensordraft"


def _dtypes(names: list[Name]) -> Iterator[str]:
    yield "## Data types\n"
    yield "| Name | NumPy | Bytes |\n| --- | --- | --- |"
    for name in names:
        if isinstance(name.value, td.DType):
            kind = name.value.as_numpy_dtype
            yield f"| `{name.name}` | `{getattr(kind, '__name__', kind)}` | {name.value.size} |"
    yield ""


def _constants(names: list[Name]) -> Iterator[str]:
    yield "## Constants\n"
    yield "| Name | |\n| --- | --- |"
    for name in names:
        if name.is_described or isinstance(name.value, td.DType):
            continue
        first = f"td.{name.name.rpartition('.')[2]}"
        text = CONSTANTS.get(name.name, f"the same as `{first}`" if first in CONSTANTS else None)
        if text is None and name.name.startswith("td.errors."):
            text = f"an error code: {name.value}"
        yield f"| `{name.name}` | {text} |"
    yield ""


def _index(names: list[Name]) -> Iterator[str]:
    yield "## All names\n"
    entries = {}
    for name in names:
        if name.is_described:
            file = "ops.md" if is_op(name) else ""
            place = f"{file}#{name.name.lower().replace('.', '')}"
        else:
            place = "#data-types" if isinstance(name.value, td.DType) else "#constants"
        for alias in (name.name, *name.aliases):
            entries[alias] = f"[`{alias}`]({place})"
    yield ",\n".join(entries[name] for name in sorted(entries, key=str.lower)) + "\n"
