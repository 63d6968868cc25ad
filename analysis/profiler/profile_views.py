"""Profiles by scope, by op type, and by line of the program: selection and order of nodes.

The rules are those of TensorFlow 1.15's profiler: the types of nodes select what counts,
what is shown by their names and figures; a node that is not shown hands those below it to the one
above.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .profiled_nodes import ROOT, Figures, ProfiledNode

if TYPE_CHECKING:
    Options = Mapping[str, Any]

_DEEPEST = 90
"""Levels of a tree; protobuf reads messages of up to 100."""

_BYTES = ("bytes", "peak_bytes", "residual_bytes", "output_bytes")

_ORDERS: dict[str, Callable[[Figures], int]] = {
    **dict.fromkeys(_BYTES, lambda total: total.nbytes),
    "micros": lambda total: total.micros,
    "cpu_micros": lambda total: total.micros,
    "accelerator_micros": lambda total: 0,
    "params": lambda total: total.parameters,
    "float_ops": lambda total: total.float_ops,
    "occurrence": lambda total: total.definitions,
}


def scope_view(ops: Sequence[ProfiledNode], options: Options) -> ProfiledNode:
    """The scopes of a graph, with their ops, as far as they are shown.

    Args:
        ops: the nodes of the ops.
        options: the options in full.

    Returns:
        The root of the tree that is shown.
    """
    root = _tree(ops)
    accounted = _accounted(root, options)
    roots = [accounted] if accounted else []
    if options["start_name_regexes"] != [".*"]:
        roots = _starts(roots, options["start_name_regexes"])
    everything = _sum(roots)
    top = ProfiledNode(ROOT)
    for node in roots:
        below = node.children if node.name == ROOT else [node]
        for child in below:
            top.children += _shown(child, options, 1)
    top.children = _sorted(top.children, options, _total)
    top.sum_up()
    if not options["account_displayed_op_only"]:
        top.total = everything
    return top


def group_view(
    ops: Sequence[ProfiledNode], options: Options, key: Callable[[ProfiledNode], str]
) -> ProfiledNode:
    """Ops together that have the same key, such as their type, as far as they are shown.

    Args:
        ops: the nodes of the ops.
        options: the options in full.
        key: returns the group of a node.

    Returns:
        A root that has a node for each group.
    """
    groups: dict[str, ProfiledNode] = {}
    for node in ops:
        if _matches(options["account_type_regexes"], node.types):
            group = groups.setdefault(key(node), ProfiledNode(key(node), []))
            group.types += [kind for kind in node.types if kind not in group.types]
            group.children.append(node)
            node.counts = True
            node.sum_up()
            group.own.add(node.own)
    everything = list(groups.values())
    for group in everything:
        group.sum_up()
    shown = [
        group for group in everything if _is_shown(group, options, group.own, group.own.definitions)
    ]
    root = ProfiledNode(ROOT, children=_sorted(shown, options, _own)[: options["max_depth"]])
    counted = root.children if options["account_displayed_op_only"] else everything
    root.total = _sum(counted)
    return root


def by_type(node: ProfiledNode) -> str:
    """The type of the op of a node."""
    return node.op.type if node.op else ""


def by_line(node: ProfiledNode) -> str:
    """The line of the program that made the op of a node."""
    site = node.op.site if node.op else None
    return "(no line)" if site is None else str(site)


def _tree(ops: Iterable[ProfiledNode]) -> ProfiledNode:
    root = ProfiledNode(ROOT)
    by_name = {node.name: node for node in ops}
    placed = {"": root}
    for node in list(by_name.values()):
        parts = node.name.split("/")
        above = root
        for depth in range(1, min(len(parts), _DEEPEST) + 1):
            name = "/".join(parts[:depth]) if depth < _DEEPEST else node.name
            if name not in placed:
                placed[name] = by_name.get(name) or ProfiledNode(name)
                above.children.append(placed[name])
            above = placed[name]
    return root


def _accounted(node: ProfiledNode, options: Options) -> ProfiledNode | None:
    """The node with the total of the counted nodes below it; None where there are none."""
    node.children = [
        child for each in node.children if (child := _accounted(each, options)) is not None
    ]
    node.counts = node.name != ROOT and _matches(options["account_type_regexes"], node.types)
    node.sum_up()
    return node if node.counts or node.children or node.name == ROOT else None


def _starts(nodes: Iterable[ProfiledNode], patterns: Sequence[str]) -> list[ProfiledNode]:
    """The outermost nodes whose names match."""
    found: list[ProfiledNode] = []
    for node in nodes:
        if node.name != ROOT and _matches(patterns, [node.name]):
            found.append(node)
        else:
            found += _starts(node.children, patterns)
    return found


def _shown(node: ProfiledNode, options: Options, depth: int) -> list[ProfiledNode]:
    """The node with its shown descendants; only these, if it is not shown itself."""
    show = depth <= options["max_depth"] and _is_shown(node, options, node.total, node.own.runs)
    below: list[ProfiledNode] = []
    if not _matches(options["trim_name_regexes"], [node.name]):
        for child in node.children:
            below += _shown(child, options, depth + 1)
    if not show:
        return below
    node.children = below
    if options["account_displayed_op_only"]:
        node.sum_up()
    node.children = _sorted(below, options, _total)
    return [node]


def _is_shown(node: ProfiledNode, options: Options, taken: Figures, occurs: int) -> bool:
    least = max(options[f"min_{kind}"] for kind in _BYTES)
    return (
        taken.nbytes >= least
        and taken.micros >= max(options["min_micros"], options["min_cpu_micros"])
        and options["min_accelerator_micros"] <= 0
        and node.own.parameters >= options["min_params"]
        and node.own.float_ops >= options["min_float_ops"]
        and occurs >= options["min_occurrence"]
        and _matches(options["show_name_regexes"], [node.name])
        and not _matches(options["hide_name_regexes"], [node.name])
    )


def _sorted(
    nodes: Iterable[ProfiledNode], options: Options, figures: Callable[[ProfiledNode], Figures]
) -> list[ProfiledNode]:
    by_name = sorted(nodes, key=lambda node: node.name)
    order = _ORDERS.get(options["order_by"])
    if order is None:
        return by_name
    return sorted(by_name, key=lambda node: order(figures(node)), reverse=True)


def _total(node: ProfiledNode) -> Figures:
    return node.total


def _own(node: ProfiledNode) -> Figures:
    return node.own


def _sum(nodes: Iterable[ProfiledNode]) -> Figures:
    together = Figures()
    for node in nodes:
        together.add(node.total)
    return together


def _matches(patterns: Iterable[str], texts: Iterable[str]) -> bool:
    return any(re.fullmatch(pattern, text) for pattern in patterns for text in texts)
