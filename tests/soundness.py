"""Comparison of static knowledge of tensors with their values in a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

import tensordraft as td
from tensordraft.shape_inference.context import is_symbolic
from tensordraft.shape_inference.symbolic.symbolic import (
    Dim,
    DimExpr,
    Symbol,
    as_symbol,
    bounds,
    evaluate,
    substitute,
    symbols_of,
)

Array = np.ndarray[Any, Any]
Sizes = dict[Symbol, int]


class Claim(NamedTuple):
    """Static knowledge of a tensor: its shape, and its value as far as it is known."""

    name: str
    shape: td.TensorShape
    value: Array | None


def claims_of(graph: td.Graph) -> list[Claim]:
    """Static knowledge of each tensor of a graph."""
    return [
        Claim(tensor.name, tensor.shape, graph.inference.value(tensor))
        for op in graph.get_operations()
        for tensor in op.outputs
    ]


def first_contradiction(
    claims: Iterable[Claim], results: dict[str, Array], sizes: Sizes
) -> str | None:
    """The first claim that does not hold in a run, or None.

    No claim is made for runs in which integers of 32 or 64 bits overflow.

    Args:
        claims: what is known before the run.
        results: what the run gave, by name of the tensor; others are left out.
        sizes: what the symbols are in this run. Those missing, which came up in inference, are
            read off the results, where they stand alone, and added.
    """
    if any(map(_may_have_wrapped_around, results.values())):
        return None
    open_claims: list[tuple[str, Dim, int]] = []
    for claim in claims:
        if claim.name not in results:
            continue
        actual = results[claim.name]
        known = claim.shape.sizes
        if known is not None:
            if len(known) != actual.ndim:
                return f"{claim.name} has shape {actual.shape}, not {claim.shape}"
            for axis, (size, n) in enumerate(zip(known, actual.shape, strict=True)):
                assert size is not None
                open_claims.append((f"size {axis} of {claim.name}", size, n))
        if claim.value is None:
            continue
        if claim.value.shape != actual.shape:
            return f"{claim.name} = {actual.tolist()}, not {claim.value.tolist()}"
        if not is_symbolic(claim.value):
            if not _same(claim.value, actual):
                return f"{claim.name} = {actual.tolist()}, not {claim.value.tolist()}"
            continue
        items = zip(claim.value.ravel().tolist(), actual.ravel().tolist(), strict=True)
        open_claims += [(f"element {i} of {claim.name}", x, n) for i, (x, n) in enumerate(items)]
    return _first_broken(open_claims, sizes)


def _may_have_wrapped_around(array: Array) -> bool:
    """Returns True if integers are so large that sums of them may overflow."""
    return array.dtype in (np.int32, np.int64) and bool((abs(array.astype(float)) > 2**30).any())


def _same(claimed: Array, actual: Array) -> bool:
    if claimed.dtype == object:
        return bool(claimed.tolist() == actual.tolist())
    if claimed.dtype != actual.dtype:
        return False
    return bool(np.all((claimed == actual) | ((claimed != claimed) & (actual != actual))))


def _first_broken(claims: list[tuple[str, Dim, int]], sizes: Sizes) -> str | None:
    while claims:
        left = []
        for what, size, actual in claims:
            symbol = as_symbol(size) if isinstance(size, DimExpr) else None
            if symbol is not None and symbol not in sizes and symbol.name is None:
                sizes[symbol] = actual
            if not symbols_of(size) <= sizes.keys():
                left.append((what, size, actual))
            elif evaluate(size, sizes) != actual:
                return f"{what} is {actual}, not {size} = {evaluate(size, sizes)}"
            if not _within(actual, bounds(size)):
                return f"{what} is {actual}, not {size} within {bounds(size)}"
        if len(left) == len(claims):
            return _first_out_of_bounds(left, sizes)
        claims = left
    return None


def _first_out_of_bounds(claims: list[tuple[str, Dim, int]], sizes: Sizes) -> str | None:
    """Checks the bounds of expressions whose symbols occur in no size of their own."""
    for what, size, actual in claims:
        if not _within(actual, bounds(substitute(size, dict(sizes)))):
            return f"{what} is {actual}, not {size}"
    return None


def _within(n: int, limits: tuple[int | None, int | None]) -> bool:
    lower, upper = limits
    return (lower is None or lower <= n) and (upper is None or n <= upper)


def results_of(graph: td.Graph, feeds: dict[td.Tensor, Array]) -> tuple[dict[str, Array], bool]:
    """Results of a run by tensor name, and whether an op failed, so that some are missing."""
    ops = graph.get_operations()
    tensors = [tensor for op in ops for tensor in op.outputs]
    run = [op for op in ops if not op.type.startswith("Placeholder")]  # all, also without outputs
    results: dict[str, Array] = {}
    with td.Session(graph=graph) as session:
        try:
            return _named(tensors, session.run([tensors, run], feeds)[0]), False
        except td.errors.OpError:
            if any(op.definition.traits.aliases for op in ops):
                return results, True  # what a tensor is then depends on what else runs
        for tensor in tensors:
            try:
                results |= _named([tensor], [session.run(tensor, feeds)])
            except td.errors.OpError:
                continue
        return results, True


def _named(tensors: list[td.Tensor], values: list[Any]) -> dict[str, Array]:
    return {
        tensor.name: np.array(value, object) if tensor.dtype == td.string else np.asarray(value)
        for tensor, value in zip(tensors, values, strict=True)
    }


def listing(graph: td.Graph) -> str:
    """The ops of a graph with what is known of their outputs, a line for each."""
    lines = []
    for op in graph.get_operations():
        inputs = ", ".join(tensor.name for tensor in op.inputs)
        known = [(str(tensor.shape), graph.inference.value(tensor)) for tensor in op.outputs]
        value = f" = {op.get_attr('value')}" if op.type == "Const" else ""
        lines.append(f"{op.name} = {op.type}({inputs}) {dict(op.attrs)}{value} -> {known}")
    return "\n".join(lines)
