"""Ops that update rows of a tensor in place.

Readers of the updated tensor that run after the update, by control dependency, see the result. The
kernels here return the new contents, and the session lets the later readers have them. They
write into the old array only where no other reference to it exists.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...runtime.kernel_spec import KernelSpec, Memory
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..common.shared_docs import shared_docs

if TYPE_CHECKING:
    _Change = Callable[[Array, Array, Array], None]

public = {
    "td": "alias_inplace_add alias_inplace_subtract alias_inplace_update",
}


def _set(y: Array, rows: Array, v: Array) -> None:
    y[rows] = v


def _accumulate(ufunc: np.ufunc) -> _Change:
    def accumulate(y: Array, rows: Array, v: Array) -> None:
        if len(np.unique(rows)) < len(rows):
            ufunc.at(y, rows, v)
        else:
            y[rows] = ufunc(y[rows], v)

    return accumulate


_add, _subtract = _accumulate(np.add), _accumulate(np.subtract)


def _change_of(c: KernelContext, change: _Change) -> _Change:
    """`change` for the dtype of the op, where only numbers can be added."""
    dtype = c.output_dtype
    if change is _set or dtype.is_floating or dtype.is_integer or dtype.is_complex:
        return change

    def refuse(y: Array, rows: Array, v: Array) -> None:
        raise ValueError(f"{c.node.definition.name} needs numbers, got {dtype.name}")

    return refuse


def _with_rows(x: Array, rows: Array, v: Array, change: _Change) -> Array:
    """`x` with `rows`, counted modulo their number, changed by the rows of `v`."""
    if rows.ndim != 1:
        raise ValueError(f"the rows to update must be a vector, got shape {list(rows.shape)}")
    if not x.ndim or v.shape != (len(rows), *x.shape[1:]):
        raise ValueError(
            f"an update of {len(rows)} rows of shape {list(x.shape[1:])} is needed for a tensor of "
            f"shape {list(x.shape)}, got shape {list(v.shape)}"
        )
    if x.size and v.size:
        change(x, rows % len(x), v)
    return x


def _in_place(change: Callable[[Array, Array, Array], Array]) -> KernelSpec:
    """Kernel that changes its first argument, or a copy if other references may exist."""

    def change_copy(x: Array, rows: Array, v: Array) -> Array:
        return change(x.copy(), rows, v)

    def change_own(x: Array, rows: Array, v: Array) -> Array:
        return change(x if x.flags.writeable else x.copy(), rows, v)

    def overwriting(spare: Container[int]) -> Callable[..., Array]:
        return change_own if 0 in spare else change_copy

    return KernelSpec(change_copy, Memory.FRESH, overwriting=overwriting)


def _rows_op(name: str, change: _Change) -> OpDef:
    """Defines an op that updates rows in place."""
    definition = OpDef(name, "x: T, i: int32, v: T -> y: T", "T: type", traits=Traits(aliases="x"))

    @definition.shape
    def shape_of_all(c: ShapeContext) -> TensorShape:
        return c.shape("x")

    @definition.kernel
    def kernel(c: KernelContext) -> Kernel:
        change_rows = _change_of(c, change)

        def update_rows(x: Array, i: Array, v: Array) -> Array:
            return _with_rows(x, i, v, change_rows)

        return _in_place(update_rows)

    return definition


INPLACE_UPDATE = _rows_op("InplaceUpdate", _set)
INPLACE_ADD = _rows_op("InplaceAdd", _add)
INPLACE_SUB = _rows_op("InplaceSub", _subtract)
INPLACE_SUBTRACT = _rows_op("InplaceSubtract", _subtract)


def _alias_op(name: str, change: _Change) -> OpDef:
    """Defines an op that updates one row, some rows or all of a tensor in place."""
    definition = OpDef(
        name,
        "value: T, loc: Tloc, update: T -> output: T",
        "T: type, Tloc: {int32, int64} = int32, whole: bool = false",
        traits=Traits(aliases="value"),
    )

    @definition.shape
    def shape_of_all(c: ShapeContext) -> TensorShape:
        return c.shape("value")

    @definition.kernel
    def kernel(c: KernelContext) -> Kernel:
        change_rows = _change_of(c, change)

        def update_whole(value: Array, loc: Array, update: Array) -> Array:
            if value.size != update.size:
                raise ValueError(
                    f"update must have as many elements as value, {value.size}, got {update.size}"
                )
            only = (1, *value.shape)
            rows = np.zeros(1, np.int32)
            updated = _with_rows(value.reshape(only), rows, update.reshape(only), change_rows)
            return updated.reshape(value.shape)

        def update_rows(value: Array, loc: Array, update: Array) -> Array:
            if not loc.ndim:
                loc, update = loc[np.newaxis], update[np.newaxis]
            return _with_rows(value, loc, update, change_rows)

        return _in_place(update_whole if c.attr("whole") else update_rows)

    return definition


ALIAS_INPLACE_UPDATE = _alias_op("AliasInplaceUpdate", _set)
ALIAS_INPLACE_ADD = _alias_op("AliasInplaceAdd", _add)
ALIAS_INPLACE_SUBTRACT = _alias_op("AliasInplaceSubtract", _subtract)


def _alias(definition: OpDef, value: Any, loc: Any, update: Any) -> Tensor:
    value = convert_to_tensor(value)
    update = convert_to_tensor(update, value.dtype)
    whole = loc is None
    return definition(value, [] if whole else loc, update, whole=whole)


def alias_inplace_update(value: TensorLike, loc: Any, update: Any) -> Tensor:
    """Sets all of a tensor, or rows of it, in place.

    A read of `value` after the update, ordered by control dependencies, sees the new contents;
    the order of the update and every other use of `value` has to follow from the graph. What is
    fed, constants, and views taken before the update are not touched.

    Args:
        value: a tensor of any dtype; not a list or ndarray, which no other op could read.
        loc: None for all of it; an int32 or int64 scalar for one row; a vector for several. Rows
            count modulo their number. If a row is named twice, the later update stays.
        update: the new contents: as many elements as `value`; one row; or as many rows as `loc`
            has elements.

    Returns:
        A Tensor that is `value` after the update.

    Raises:
        InvalidArgumentError: when it runs, the shapes do not fit; or the graph leaves open
            whether another op reads `value` before or after the update.

    Example:
        >>> with td.Graph().as_default() as graph, td.Session() as session:
        ...     x = td.empty([3], td.int32, init=True)
        ...     update = td.alias_inplace_update(x, 1, 5)
        ...     with graph.control_dependencies([update]):
        ...         print(session.run(td.identity(x)))
        [0 5 0]
    """
    return _alias(ALIAS_INPLACE_UPDATE, value, loc, update)


_documented = shared_docs(
    {
        "value": "a tensor of numbers, which is updated as by `alias_inplace_update`.",
        "loc": ("as for `alias_inplace_update`. If a row is named twice, the updates add up."),
    },
    returns="A Tensor that is `value` after the update.",
    raises="InvalidArgumentError: as for `alias_inplace_update`.",
)


@_documented
def alias_inplace_add(value: TensorLike, loc: Any, update: Any) -> Tensor:
    """Adds to all of a tensor, or to rows of it, in place.

    Args:
        update: what to add, of a shape as for `alias_inplace_update`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.alias_inplace_add(td.constant([1, 2]), [1, 1], [10, 10])))
        [ 1 22]
    """
    return _alias(ALIAS_INPLACE_ADD, value, loc, update)


@_documented
def alias_inplace_subtract(value: TensorLike, loc: Any, update: Any) -> Tensor:
    """Subtracts from all of a tensor, or from rows of it, in place.

    Args:
        update: what to subtract, of a shape as for `alias_inplace_update`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.alias_inplace_subtract(td.constant([5, 6]), None, [1, 2])))
        [4 4]
    """
    return _alias(ALIAS_INPLACE_SUBTRACT, value, loc, update)
