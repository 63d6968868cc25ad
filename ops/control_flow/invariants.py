"""Loop invariants: shapes that the variables have in every iteration, as stated and as inferred."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.node import Tensor
from ...shape_inference.handle_data import common_shape
from ...shape_inference.tensor_shape import TensorShape, as_shape
from ..common.structures import check_alike, packed
from .components import stated_invariants, tensors_of, usual_invariants


def shapes_kept(structure: Any, leaves: Sequence[Any], invariants: Any) -> list[TensorShape]:
    """The stated shapes of the tensors of variables in every iteration.

    Args:
        structure: the variables, in a list or tuple.
        leaves: its leaves.
        invariants: a structure of shapes; None where the first shapes hold.

    Raises:
        TypeError: it is nested in other lists, tuples or dicts than the variables.
        ValueError: there is not one for each variable, or a variable does not begin with it.
    """
    if invariants is None:
        return [shape for leaf in leaves for shape in usual_invariants(leaf)]
    shapes: list[TensorShape] = []
    alike = _without_shapes(invariants, shapes)
    check_alike(list(packed(structure, [None] * len(leaves))), list(alike or [None]))
    kept = []
    for leaf, shape in zip(leaves, shapes, strict=True):
        for tensor, stated in zip(tensors_of(leaf), stated_invariants(leaf, shape), strict=True):
            if not _within(tensor.shape, stated):
                raise ValueError(
                    f"The shape invariant specified for {tensor.name} is not compatible with the "
                    "initial shape of the loop variable. It enters the loop with shape "
                    f"{tensor.shape}, but the specified shape invariant is {stated}."
                )
            kept.append(stated)
    return kept


def _without_shapes(part: Any, shapes: list[TensorShape]) -> Any:
    """A structure of shapes with None for each of them; they are appended in their order."""
    if isinstance(part, dict):
        return {key: _without_shapes(part[key], shapes) for key in sorted(part)}
    if isinstance(part, (list, tuple)):
        items = [_without_shapes(item, shapes) for item in part]
        return getattr(part, "_make", type(part))(items)
    shapes.append(as_shape(part))
    return None


def _within(shape: TensorShape, stated: TensorShape) -> bool:
    """True if every tensor of the one shape has the other; names of sizes are ignored."""
    known = None if stated.rank is None else stated.as_list()
    sizes = None if shape.rank is None else shape.as_list()
    if known is None or sizes is None:
        return known is None
    return len(sizes) == len(known) and all(
        m is None or m == n for m, n in zip(known, sizes, strict=True)
    )


def check_kept(
    starts: Sequence[Tensor], shapes: Sequence[TensorShape], results: Sequence[Tensor]
) -> None:
    """Checks that an iteration keeps the shapes of variables, as far as these are numbers.

    Raises:
        ValueError: it does not.
    """
    for start, shape, result in zip(starts, shapes, results, strict=True):
        if not _within(result.shape, shape):
            raise ValueError(
                f"Input tensor {start.name!r} enters the loop with shape {shape}, but has shape "
                f"{result.shape} after one iteration. To allow the shape to vary across "
                "iterations, use the `shape_invariants` argument of td.while_loop to specify a "
                "less-specific shape. (The shape is not an invariant for the loop.)"
            )


def widened(shapes: Sequence[TensorShape], results: Sequence[Tensor]) -> Sequence[TensorShape]:
    """The shapes without the sizes that an iteration changes; `shapes` if it keeps all.

    A size that has a name, but is not a number, may differ between iterations.
    """
    wider = [
        shape if (common := common_shape(shape, result.shape)).sizes == shape.sizes else common
        for shape, result in zip(shapes, results, strict=True)
    ]
    return shapes if all(x is y for x, y in zip(shapes, wider, strict=True)) else wider
