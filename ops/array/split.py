"""Splitting along an existing dimension: split."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE, normal_axis
from ...shape_inference.split_rules import following
from ...shape_inference.symbolic.sizes import divided
from ...shape_inference.symbolic.symbolic import Dim, DimExpr, less_equal
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move
from ..common.call_forms import older_form, scalar_at

public = {"td": "split"}

SPLIT: OpDef[list[Tensor]] = OpDef(
    "Split",
    "split_dim: int32, value: T -> output: num_split * T",
    "num_split: int >= 1, T: type",
    traits=Move(views=True),
)
SPLIT.split(following("value"))
SPLIT_V: OpDef[list[Tensor]] = OpDef(
    "SplitV",
    "value: T, size_splits: Tlen, split_dim: int32 -> output: num_split * T",
    "num_split: int >= 1, T: type, Tlen: {int8, int32, int64} = int64",
    traits=Move(views=True),
)
SPLIT_V.split(following("value"))


@SPLIT.shape
def _split_shape(c: ShapeContext) -> list[TensorShape]:
    num = c.attr("num_split")
    sizes, axis = _value_and_axis(c)
    if sizes is None:
        return [UNKNOWN_SHAPE] * num
    if axis is None:
        return [TensorShape.of((None,) * len(sizes))] * num
    part = c.divided(_along(axis), sizes[axis], num)
    return [TensorShape.of((*sizes[:axis], part, *sizes[axis + 1 :]))] * num


def _value_and_axis(c: ShapeContext) -> tuple[tuple[Dim, ...] | None, int | None]:
    """The sizes of the value and the dimension to split, as far as they are known."""
    axis = c.const("split_dim")
    sizes: Any = c.shape("value").sizes
    if axis is None:
        return sizes, None
    c.shape("split_dim", rank=0)
    return sizes, None if sizes is None else normal_axis(_scalar(axis), len(sizes), "split_dim")


def _along(axis: int) -> str:
    return f"dimension {axis} of value, split in equal parts,"


def _scalar(axis: Array) -> int:
    if axis.size != 1:
        raise ValueError(f"split_dim must be a scalar, got shape {list(axis.shape)}")
    return int(axis.item())


@SPLIT.view_kernel
def _split_kernel(c: KernelContext) -> Kernel:
    num = c.attr("num_split")

    @functools.lru_cache(maxsize=8)
    def indices_for(shape: tuple[int, ...], split_dim: int) -> list[tuple[Any, ...]]:
        axis = normal_axis(split_dim, len(shape), "split_dim")
        part = divided(_along(axis), shape[axis], num)
        return _indices(axis, [int(part)] * num)

    def split(split_dim: Array, value: Array) -> Any:
        if split_dim.ndim:
            raise ValueError(f"split_dim must be a scalar, got shape {list(split_dim.shape)}")
        return _parts(value, indices_for(value.shape, int(split_dim)))

    return split


def _indices(axis: int, sizes: Sequence[int]) -> list[tuple[Any, ...]]:
    before = (slice(None),) * axis
    return [(*before, slice(end - n, end)) for n, end in zip(sizes, accumulate(sizes), strict=True)]


def _parts(value: Array, indices: Sequence[tuple[Any, ...]]) -> Any:
    parts = tuple([value[index] for index in indices])
    return parts[0] if len(parts) == 1 else parts


@SPLIT_V.shape
def _split_v_shape(c: ShapeContext) -> list[TensorShape]:
    num = c.attr("num_split")
    if c.const("size_splits") is not None:  # TensorFlow looks at the rank of fed ones at the run
        c.shape("size_splits", rank=1)
    c.shape("value", min_rank=1)
    sizes, axis = _value_and_axis(c)
    if sizes is None:
        return [UNKNOWN_SHAPE] * num
    splits = c.value("size_splits")
    if splits is not None and splits.ndim != 1:
        splits = None
    if axis is None:
        if splits is not None:
            _check_any_fits(splits.tolist(), num, sizes)
        return [TensorShape.of((None,) * len(sizes))] * num
    parts: Sequence[Any] = [None] * num
    if splits is not None:
        parts = _part_sizes(splits.tolist(), num, sizes[axis])
    return [TensorShape.of((*sizes[:axis], part, *sizes[axis + 1 :])) for part in parts]


def _check_any_fits(splits: Sequence[Any], num: int, sizes: Sequence[Dim]) -> None:
    """Rejects split sizes that no dimension can have."""
    errors: list[ValueError] = []
    for n in sizes:
        try:
            _part_sizes(splits, num, n)
        except ValueError as error:
            errors.append(error)
    if len(errors) == len(sizes):
        raise errors[0]


def _part_sizes(splits: Sequence[Any], num: int, n: Dim) -> list[Any]:
    """Sizes of the parts, with the rest of `n` for -1; None where unknown."""
    if all(isinstance(split, int) for split in splits):
        _check_splits(splits, num, n)
    elif len(splits) != num:
        return [None] * num
    return [_part_size(split, splits, n) for split in splits]


def _check_splits(splits: Sequence[int], num: int, n: Dim) -> None:
    if len(splits) != num:
        raise ValueError(f"size_splits must have {num} elements, got {len(splits)}")
    if splits.count(-1) > 1:
        raise ValueError(f"size_splits may hold one -1, got {splits}")
    for i, split in enumerate(splits):
        if split < -1:
            raise ValueError(f"size_splits[{i}] = {split} is less than -1")
    total = sum(split for split in splits if split >= 0)
    if isinstance(n, int) and (total > n or (total < n and -1 not in splits)):
        raise ValueError(f"size_splits = {splits} do not fit the size {n} of the dimension")


def _part_size(split: Dim, splits: Sequence[Dim], n: Dim) -> Dim | None:
    if isinstance(split, DimExpr):
        return split if less_equal(0, split) else None
    if split == -1:  # no other one is -1
        return n - sum(other for other in splits if other != -1)
    return split if split >= 0 else None


@SPLIT_V.view_kernel
def _split_v_kernel(c: KernelContext) -> Kernel:
    num = c.attr("num_split")
    splits, split_dim = c.const("size_splits"), c.const("split_dim")

    def indices(shape: Sequence[int], splits: Array, split_dim: Array) -> list[tuple[Any, ...]]:
        if splits.ndim != 1:
            raise ValueError(f"size_splits must be a vector, got shape {list(splits.shape)}")
        if not shape:
            raise ValueError("value must have rank at least 1, got shape []")
        axis = normal_axis(_scalar(split_dim), len(shape), "split_dim")
        return _indices(axis, _part_sizes(splits.tolist(), num, shape[axis]))

    if splits is None or split_dim is None:

        def split_dynamic(value: Array, splits: Array, split_dim: Array) -> Any:
            return _parts(value, indices(value.shape, splits, split_dim))

        return split_dynamic

    @functools.lru_cache(maxsize=8)
    def indices_for(shape: tuple[int, ...]) -> list[tuple[Any, ...]]:
        return indices(shape, splits, split_dim)

    def split_constant(value: Array, *_: Array) -> Any:
        return _parts(value, indices_for(value.shape))

    return split_constant


@older_form("split_dim=axis, num_split=num_or_size_splits, value, name", is_older=scalar_at(0))
def split(
    value: TensorLike,
    num_or_size_splits: TensorLike,
    axis: Any = 0,
    num: int | None = None,
    name: str = "split",
) -> list[Tensor]:
    """Cuts a tensor into parts along one dimension.

    The older form `split(split_dim, num_split, value, name)` is known by its first argument, which
    has rank 0.

    Args:
        value: a tensor of rank at least 1.
        num_or_size_splits: an int: into how many equal parts to cut; or an integer vector: the
            sizes of the parts, of which one may be -1, which is what the others leave.
        axis: an int32 scalar: the dimension, from the end where it is negative.
        num: the number of parts, where the length of the vector is not known.
        name: a name for the op.

    Returns:
        A list of Tensors.

    Raises:
        ValueError: the parts do not fit the size, or their number is neither given nor known.

    Example:
        >>> with td.Graph().as_default():
        ...     value = td.placeholder(td.float32, [5, 30])
        ...     print(*[part.shape for part in td.split(value, [4, -1, 11], 1)])
        ...     print(*[part.shape for part in td.split(value, 3, 1)])
        (5, 4) (5, 15) (5, 11)
        (5, 10) (5, 10) (5, 10)
    """
    if scalar_at(0)([num_or_size_splits]):
        return SPLIT(axis, value, num_split=num_or_size_splits, name=name)
    sizes = convert_to_tensor(num_or_size_splits)
    if num is None:
        num = sizes.shape.with_rank(1)[0].value
    if num is None:
        raise ValueError(
            f"num must be given, as the shape {sizes.shape} of the sizes does not determine it"
        )
    return SPLIT_V(value, sizes, axis, num_split=num, name=name)
