"""Derivatives beyond gradients of sums: Jacobians, Hessians, and products from the left."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..graph.convert import convert_to_tensor
from ..graph.default_scopes import name_scope
from ..ops.array.constants import placeholder_with_default
from ..ops.array.fills import zeros_like
from ..ops.array.joining import concat
from ..ops.array.reshaping import reshape
from ..ops.array.shapes import shape
from ..ops.array.stacking import stack
from .engine.accumulation import dense
from .gradients import UnconnectedGradients, gradients
from .kit.static_knowledge import known_sizes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..graph.node import Tensor

public = {"td": "batch_jacobian hessians jacobian jvp"}


def jacobian(y: Any, x: Any, name: str | None = None) -> Any:
    """The derivative of each element of `y` with respect to each element of `x`.

    TensorFlow 1.x has no such function; it is that of `GradientTape` in TensorFlow 2. A gradient
    is built for each element of `y`, so that `y` should be small.

    Args:
        y: a tensor of floats, whose shape is known before the run.
        x: a tensor or variable of floats, or a list of them.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of the shape of `y` followed by that of `x`; a list of them for a list.

    Raises:
        ValueError: the shape of `y` is not known.
        LookupError: an op in between has no gradient.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.constant([1.0, 2.0])
        ...     print(session.run(td.jacobian(x * x, x)))
        [[2. 0.]
         [0. 4.]]
    """
    xs = list(x) if isinstance(x, (list, tuple)) else [x]
    with name_scope(name, "jacobian", [y, *xs]):
        y = convert_to_tensor(y)
        sizes = _sizes_of("y", y)
        rows = [_row(y, xs, seed) for seed in _unit_tensors(sizes, y)]
        found = [_stacked([row[i] for row in rows], sizes, item, y) for i, item in enumerate(xs)]
    return found if isinstance(x, (list, tuple)) else found[0]


def batch_jacobian(y: Any, x: Any, name: str | None = None) -> Tensor:
    """The Jacobian of each row of `y` with respect to the same row of `x`.

    Args:
        y: a tensor of floats, [batch, ...], of which a row depends on that row of `x` alone. The
            sizes behind the first must be known before the run.
        x: a tensor of floats, [batch, ...].
        name: a name for the scope of the ops.

    Returns:
        A Tensor [batch, (shape of a row of y), (shape of a row of x)].

    Raises:
        ValueError: a size of `y` behind the first is not known, or `y` has no rows.
        LookupError: an op in between has no gradient.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.constant([[1.0, 2.0], [3.0, 4.0]])
        ...     print(session.run(td.batch_jacobian(x * x, x))[1])
        [[6. 0.]
         [0. 8.]]
    """
    with name_scope(name, "batch_jacobian", [y, x]):
        y, x = convert_to_tensor(y), convert_to_tensor(x)
        if y.shape.rank is None or y.shape.rank < 1:
            raise ValueError(f"y must have rows, got shape {y.shape}")
        known = [size if isinstance(size, int) else None for size in (y.shape.sizes or ())[1:]]
        sizes = [size for size in known if size is not None]
        if len(sizes) < len(known):
            raise ValueError(f"y must have rows of a known shape, got shape {y.shape}")
        rows = []
        for seed in _unit_arrays(sizes, y):
            start = zeros_like(y) + convert_to_tensor(seed)
            rows.append(_row(y, [x], start)[0])
        flat = stack(rows, 1) if rows else zeros_like(x)[:, None][:, :0]
        whole = shape(x)
        return reshape(flat, concat([whole[:1], np.array(sizes, np.int32), whole[1:]], 0))


def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
) -> list[Any]:
    """The second derivatives of the sum of `ys` with respect to the elements of each of `xs`.

    Args:
        ys: a tensor of floats, or a list of them.
        xs: a tensor or variable, or a list of them, whose shapes are known before the run.
        name: a name for the scope of the ops.
        colocate_gradients_with_ops: as for `td.gradients`.
        gate_gradients: as for `td.gradients`.
        aggregation_method: as for `td.gradients`.

    Returns:
        A list of tensors, each of the shape of x followed by the shape of x.

    Raises:
        ValueError: a shape is not known, or no y depends on an x.
        LookupError: an op in between has no gradient.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.constant([1.0, 2.0])
        ...     print(session.run(td.hessians(td.reduce_prod(x), x)[0]))
        [[0. 1.]
         [1. 0.]]
    """
    items = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    options = (colocate_gradients_with_ops, gate_gradients, aggregation_method)
    results = []
    with name_scope(name, "hessians", [*(ys if isinstance(ys, (list, tuple)) else [ys]), *items]):
        for i, (x, first) in enumerate(
            zip(items, gradients(ys, items, None, "gradients", *options), strict=True)
        ):
            if first is None:
                raise ValueError(f"xs[{i}] has no Hessian: none of ys depends on it")
            results.append(jacobian(dense(first), x))
    return results


def jvp(ys: Any, xs: Any, tangents: Any, name: str | None = None) -> Any:
    """How `ys` change, to first order, where `xs` change by `tangents`: J v, without J.

    It is built of two gradients: that of `ys` is linear in what it starts with, and the gradient
    with respect to this is the product. TensorFlow 1.x has no such function.

    Args:
        ys: a tensor of floats, or a list of them.
        xs: a tensor or variable of floats, or a list of them.
        tangents: for each of `xs` a tensor of its shape and dtype.
        name: a name for the scope of the ops.

    Returns:
        For each of `ys` a Tensor of its shape and dtype: zeros where it depends on none of `xs`.
        A list for a list, one alone for one.

    Raises:
        ValueError: there are not as many tangents as xs.
        LookupError: an op in between has no gradient, or its gradient has none.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.constant([1.0, 2.0])
        ...     print(session.run(td.jvp(x * x, x, td.constant([1.0, 10.0]))))
        [ 2. 40.]
    """
    outputs = list(ys) if isinstance(ys, (list, tuple)) else [ys]
    sources = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    given = list(tangents) if isinstance(tangents, (list, tuple)) else [tangents]
    if len(given) != len(sources):
        raise ValueError(f"tangents must be as many as xs: {len(sources)}, got {len(given)}")
    with name_scope(name, "jvp", [*outputs, *sources, *given]):
        outputs = [convert_to_tensor(y) for y in outputs]
        # Their values do not matter; that nobody takes them for constants does.
        starts = [placeholder_with_default(zeros_like(y), y.shape) for y in outputs]
        pairs = [
            (dense(gradient), tangent)
            for gradient, tangent in zip(gradients(outputs, sources, starts), given, strict=True)
            if gradient is not None
        ]
        if pairs:
            firsts, changes = zip(*pairs, strict=True)
            zero = UnconnectedGradients.ZERO
            products = gradients(firsts, starts, changes, unconnected_gradients=zero)
        else:
            products = [zeros_like(y) for y in outputs]
        results = [dense(product) for product in products]
    return results if isinstance(ys, (list, tuple)) else results[0]


def _sizes_of(name: str, x: Tensor) -> list[int]:
    sizes = known_sizes(x)
    if sizes is None:
        raise ValueError(f"{name} must have a known shape, got {x.shape}")
    return sizes


def _unit_arrays(sizes: Sequence[int], like: Tensor) -> list[Any]:
    """For each place an array with 1 there, and 0 elsewhere."""
    number = math.prod(sizes)
    return list(np.eye(number, dtype=like.dtype.base_dtype.numpy_dtype).reshape(number, *sizes))


def _unit_tensors(sizes: Sequence[int], like: Tensor) -> list[Tensor]:
    return [convert_to_tensor(unit) for unit in _unit_arrays(sizes, like)]


def _row(y: Tensor, xs: list[Any], seed: Tensor) -> list[Tensor]:
    zero = UnconnectedGradients.ZERO
    return [dense(item) for item in gradients(y, xs, [seed], unconnected_gradients=zero)]


def _stacked(rows: list[Tensor], sizes: list[int], x: Any, y: Tensor) -> Tensor:
    """The rows as one tensor, of the sizes of y and then those of x."""
    x = convert_to_tensor(x)
    if not rows:
        return zeros_like(y)[(..., *[None] * len(x.shape.as_list()))] + zeros_like(x)
    known = known_sizes(x)
    if known is not None:
        return reshape(stack(rows), [*sizes, *known])
    return reshape(stack(rows), concat([np.array(sizes, np.int32), shape(x)], 0))
