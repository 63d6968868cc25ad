"""Copies of tensors with some elements or slices changed: tensor_scatter_update and others."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ..common.elementwise import NUMBERS
from ..common.public_function import public_function
from .gather_nd import Places, add_rows, skips_bad_indices
from .strided_slice import changed_slice

if TYPE_CHECKING:
    Change = Callable[[Array, Array, Array], None]

public = {
    "td": (
        "tensor_scatter_add tensor_scatter_nd_add=tensor_scatter_add tensor_scatter_sub "
        "tensor_scatter_nd_sub=tensor_scatter_sub tensor_scatter_update "
        "tensor_scatter_nd_update=tensor_scatter_update"
    ),
}

_DOC = """A tensor in which elements or slices are {done}.

Each row of `indices` is a position in the first `indices.shape[-1]` dimensions.

Args:
    tensor: a tensor{dtypes}.
    indices: an int32 or int64 tensor [..., depth].
    updates: what is {done}: of the dtype of `tensor` and of shape [..., rest], where `rest` are
        the dimensions of `tensor` behind the first `depth`. {twice}
    name: a name for the op.

Returns:
    A Tensor of the shape of `tensor`.

Raises:
    ValueError: the shapes do not fit together. An index out of range is an InvalidArgumentError at
        the run.

Example:
    >>> with td.Graph().as_default(), td.Session() as session:
    ...     print(session.run(td.{name}([1, 2, 3], [[0], [2]], [7, 8])))
    {result}
"""


class TensorScatter(Protocol):
    """The public function of an op that changes elements of a tensor."""

    def __call__(
        self, tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Tensor:
        """Adds the op to the default graph."""


def _scatter_op(op_type: str, change: Change, types: str, indices: str, arg: str) -> OpDef:
    """A row of the table of ops: `change` writes rows into an array at the places of others."""
    op = OpDef(
        op_type,
        f"{arg}: T, indices: Tindices, updates: T -> output: T",
        f"T: {types}, Tindices: {{{indices}}}, bad_indices_policy: string = ''",
    )

    @op.shape
    def shape(c: ShapeContext) -> TensorShape:
        x, indices = c.shape(arg), c.shape("indices", min_rank=1)
        updates = c.shape("updates")
        depth = None if indices.sizes is None else indices.sizes[-1]
        if isinstance(depth, int) and x.rank is not None:
            if depth > x.rank:
                raise ValueError(
                    f"indices must have a last dimension of at most {x.rank} for {arg} of shape "
                    f"{x}, got {depth}"
                )
            c.merged("updates and what is changed", [updates, indices[:-1] + x[depth:]])
        return x

    @op.fresh_kernel
    def kernel(c: KernelContext) -> Kernel:
        skip = skips_bad_indices(c)

        def scatter(x: Array, indices: Array, updates: Array) -> Array:
            places = Places(indices, x.shape, skip)
            wanted = (*places.outer, *places.rest)
            if updates.shape != wanted:
                raise ValueError(
                    f"updates must have shape {list(wanted)}, got {list(updates.shape)}"
                )
            result = x.copy()
            if updates.size:
                rows = updates.reshape(-1, *places.rest)
                if places.good is not None:
                    rows = rows[places.good]
                into = result.reshape(places.number, *places.rest)
                # Indices of no dimensions name the whole.
                whole = np.zeros(len(rows), np.intp) if not indices.shape[-1] else places.whole()
                change(into, whole, rows)
            return result

        return scatter

    return op


def _set(into: Array, places: Array, rows: Array) -> None:
    into[places] = rows


def _by(ufunc: np.ufunc) -> Change:
    def change(into: Array, places: Array, rows: Array) -> None:
        width = math.prod(into.shape[1:])
        add_rows(into.reshape(-1, width), places, rows.reshape(-1, width), ufunc)

    return change


_INDICES = "int32, int64"
TENSOR_SCATTER_UPDATE = _scatter_op(
    "TensorScatterUpdate", _set, "type", f"int16, {_INDICES}, uint16", "tensor"
)
TENSOR_SCATTER_ADD = _scatter_op("TensorScatterAdd", _by(np.add), "type", _INDICES, "tensor")
TENSOR_SCATTER_SUB = _scatter_op("TensorScatterSub", _by(np.subtract), "type", _INDICES, "tensor")
TENSOR_SCATTER_MAX = _scatter_op("TensorScatterMax", _by(np.maximum), "type", _INDICES, "tensor")
TENSOR_SCATTER_MIN = _scatter_op("TensorScatterMin", _by(np.minimum), "type", _INDICES, "tensor")
SCATTER_ND_NON_ALIASING_ADD = _scatter_op(
    "ScatterNdNonAliasingAdd", _by(np.add), f"{{{NUMBERS}, bool}}", _INDICES, "input"
)
TENSOR_STRIDED_SLICE_UPDATE = OpDef(
    "TensorStridedSliceUpdate",
    "input: T, begin: Index, end: Index, strides: Index, value: T -> output: T",
    "T: type, Index: {int32, int64}, begin_mask: int = 0, end_mask: int = 0, "
    "ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0",
)


@TENSOR_STRIDED_SLICE_UPDATE.shape
def _slice_update_shape(c: ShapeContext) -> TensorShape:
    for name in ("begin", "end", "strides"):
        c.shape(name, rank=1)
    return c.shape("input")


@TENSOR_STRIDED_SLICE_UPDATE.fresh_kernel
def _slice_update_kernel(c: KernelContext) -> Kernel:
    by = changed_slice(c)

    def update(x: Array, begin: Array, end: Array, strides: Array, value: Array) -> Array:
        result = x.copy()
        by(begin, end, strides, value)(result)
        return result

    return update


def _public(op: OpDef, name: str, done: str, twice: str, dtypes: str, result: str) -> TensorScatter:
    def call(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
        return op(tensor, indices, updates, name=name)

    doc = _DOC.format(name=name, done=done, twice=twice, dtypes=dtypes, result=result)
    return public_function(call, name, doc)


_SUMMED = "Those for one place add up."
tensor_scatter_update = _public(
    TENSOR_SCATTER_UPDATE,
    "tensor_scatter_update",
    "set",
    "Of several for one place one stays.",
    " of any dtype",
    "[7 2 8]",
)
tensor_scatter_add = _public(
    TENSOR_SCATTER_ADD, "tensor_scatter_add", "added to", _SUMMED, " of numbers", "[ 8  2 11]"
)
tensor_scatter_sub = _public(
    TENSOR_SCATTER_SUB,
    "tensor_scatter_sub",
    "subtracted from",
    _SUMMED,
    " of numbers",
    "[-6  2 -5]",
)
