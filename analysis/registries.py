"""Op types and attrs that releases of TensorFlow support."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources

from ..protos.messages import NodeDef

RELEASES = {"1.15": "-", "2": "+"}
"""The releases, with the mark of an op type or attr that only this release has."""


def unknown_to(release: str, nodes: Iterable[NodeDef], functions: Iterable[str]) -> Iterator[str]:
    """Finds what a release of TensorFlow does not support: node names, and the reasons.

    Attrs with a leading underscore are not part of an op type.

    Args:
        release: "1.15", or "2" for 2.21.
        nodes: the nodes.
        functions: the names of functions, which nodes may have for types.
    """
    registry, defined = _registry(release), set(functions)
    for node in nodes:
        attrs_of_type = registry.get(node.op)
        if attrs_of_type is None:
            if node.op not in defined:
                yield f"{node.name!r} is of the type {node.op}"
            continue
        for name in sorted(node.attr):
            if not name.startswith("_") and name not in attrs_of_type:
                yield f"{node.name!r} ({node.op}) has the attr {name!r}"


@cache
def _registry(release: str) -> dict[str, frozenset[str]]:
    """The attrs of each op type of a release.

    The file has a line for each: the type, then its attrs. `+` marks what only TensorFlow 2.21's
    registry has, `-` what only that of 1.15 has.
    """
    mark = RELEASES[release]
    other = next(sign for sign in RELEASES.values() if sign != mark)
    text = resources.files(__package__).joinpath("op_registries.txt").read_text("ascii")
    registry = {}
    for line in text.splitlines():
        op, *attrs = line.split()
        if not op.startswith(other):
            known = [attr.lstrip("+-") for attr in attrs if not attr.startswith(other)]
            registry[op.lstrip("+-")] = frozenset(known)
    return registry
