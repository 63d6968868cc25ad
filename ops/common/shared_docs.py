"""Docstrings of families: what all members take, return and raise is written once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from inspect import cleandoc, signature
from textwrap import fill
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    Documented = TypeVar("Documented", bound=Callable[..., Any])

_WIDTH = 96
_HEADING = re.compile(r"^(Args|Returns|Raises|Example):\n", re.MULTILINE)
_ENTRY = re.compile(r"^    (\w+): ", re.MULTILINE)
_ORDER = ("Args", "Returns", "Raises", "Example")


def shared_docs(
    args: Mapping[str, str] | None = None, returns: str | None = None, raises: str | None = None
) -> Callable[[Documented], Documented]:
    """A decorator of functions and classes that fills their docstrings in.

    What a docstring says itself stays; the arguments come in the order of the signature.

    Args:
        args: what to say of arguments that a docstring leaves out, by name.
        returns: what to say of results.
        raises: what to say of errors, a line for each.
    """
    table = args or {}

    def fill_in(documented: Documented) -> Documented:
        documented.__doc__ = filled(
            documented.__doc__ or "",
            {name: table[name] for name in signature(documented).parameters if name in table},
            [*signature(documented).parameters],
            {"Returns": returns, "Raises": raises},
        )
        return documented

    return fill_in


def filled(
    doc: str, args: Mapping[str, str], order: list[str], sections: Mapping[str, str | None]
) -> str:
    """A docstring with the arguments and sections that it leaves out.

    Args:
        doc: the docstring.
        args: what to say of arguments.
        order: the names of all arguments.
        sections: the text of sections, by heading.
    """
    summary, *parts = _HEADING.split(cleandoc(doc))
    found = {heading: text.rstrip() for heading, text in _pairs(parts)}
    own = _pairs(_ENTRY.split(found.pop("Args", ""))[1:])
    lines = {name: _entry(f"{name}: {text}") for name, text in args.items()}
    lines |= {name: f"    {name}: {text.rstrip()}" for name, text in own}
    if lines:
        ranked = sorted(lines, key=lambda name: order.index(name) if name in order else len(order))
        found["Args"] = "\n".join(lines[name] for name in ranked)
    found = {heading: _entry(text) for heading, text in sections.items() if text} | found
    texts = [f"{heading}:\n{found[heading]}" for heading in _ORDER if heading in found]
    return "\n\n".join([summary.rstrip(), *texts])


def _pairs(items: list[str]) -> Iterator[tuple[str, str]]:
    return zip(items[::2], items[1::2], strict=True)


def _entry(text: str) -> str:
    return "\n".join(
        fill(line, _WIDTH, initial_indent="    ", subsequent_indent=" " * 8)
        for line in text.split("\n")
    )


unary_docs = shared_docs(
    {"name": "a name for the op."},
    returns="A Tensor of the shape and dtype of `x`.",
    raises="TypeError: `x` is of another dtype.",
)
