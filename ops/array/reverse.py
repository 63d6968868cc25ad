"""The elements of a tensor in reverse order, along dimensions or sequence by sequence."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import as_dtype
from ...runtime import errors
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE, normal_axis
from ...shape_inference.split_parts import WHOLE, NotSplittable, Partition, SplitContext, along
from ...shape_inference.split_rules import all_but
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move
from ..common.call_forms import older_form, renamed, string_at
from ..common.elementwise import NUMBERS

public = {
    "td": "reverse_sequence reverse_v2",
    "td, td.manip": "reverse",
}

REVERSIBLE = f"{NUMBERS}, bool, string"
REVERSE = OpDef(
    "Reverse",
    "tensor: T, dims: bool -> output: T",
    f"T: {{{REVERSIBLE}}}",
    traits=Move(views=True, symbolic=False),
)
REVERSE_V2 = OpDef(
    "ReverseV2",
    "tensor: T, axis: Tidx -> output: T",
    f"Tidx: {{int32, int64}} = int32, T: {{{REVERSIBLE}}}",
    traits=Move(views=True),
)
REVERSE_V2.split(all_but("axis"))


@REVERSE.split
def _reverse_split(c: SplitContext) -> Partition:
    axis = c.axis("tensor")
    if axis is None or c.needed("dims")[axis]:
        raise NotSplittable("it goes along the axis that is split")
    return Partition([along(axis), WHOLE], [along(axis)])


_MOST_REVERSIBLE = 8  # dimensions, as the documents say


@REVERSE.shape
def _reverse_shape(c: ShapeContext) -> TensorShape:
    dims = c.shape("dims", rank=1).as_list()[0]
    if dims is not None and dims > _MOST_REVERSIBLE:
        raise ValueError(f"dims must have at most {_MOST_REVERSIBLE} elements, got {dims}")
    return c.shape("tensor", rank=dims, max_rank=_MOST_REVERSIBLE)


@REVERSE_V2.shape
def _reverse_v2_shape(c: ShapeContext) -> TensorShape:
    c.shape("axis", rank=1)
    shape = c.shape("tensor", max_rank=_MOST_REVERSIBLE)
    axis = c.const("axis")
    if axis is not None and shape.rank is not None:
        _reversing_index(axis, shape.rank)
    return shape


def _reversing_index(axis: Array, rank: int) -> tuple[Any, ...]:
    """The NumPy index that reverses each dimension that `axis` names."""
    if axis.ndim != 1:
        raise ValueError(f"axis must be a vector, got shape {list(axis.shape)}")
    index: list[Any] = [slice(None)] * rank
    for i, item in enumerate(axis.tolist()):
        k = normal_axis(item, rank, f"axis[{i}]")
        if index[k].step is not None:
            raise ValueError(f"axis = {axis.tolist()} names dimension {k} twice")
        index[k] = slice(None, None, -1)
    return (*index, ...)


def _check_reversible(x: Array) -> None:
    if x.ndim > _MOST_REVERSIBLE:
        raise errors.UnimplementedError(
            None, None, f"tensor must have rank at most {_MOST_REVERSIBLE}, got {x.ndim}"
        )


@REVERSE.view_kernel
def _reverse_kernel(c: KernelContext) -> Kernel:

    def reverse(x: Array, dims: Array) -> Array:
        if x.ndim == 0:  # TensorFlow does not look at dims then
            return x
        _check_reversible(x)
        if dims.shape != (x.ndim,):
            raise ValueError(f"dims must have shape [{x.ndim}], got {list(dims.shape)}")
        return x[(*[slice(None, None, -1 if flag else None) for flag in dims.tolist()], ...)]

    return reverse


@REVERSE_V2.view_kernel
def _reverse_v2_kernel(c: KernelContext) -> Kernel:
    axis, rank = c.const("axis"), c.shape("tensor").rank
    if axis is None or rank is None:

        def reverse_dynamic(x: Array, axis: Array) -> Array:
            if x.ndim == 0 or x.size == 0:  # TensorFlow does not look at axis then
                return x
            _check_reversible(x)
            return x[_reversing_index(axis, x.ndim)]

        return reverse_dynamic
    index = _reversing_index(axis, rank)

    def reverse_constant(x: Array, axis: Array) -> Array:
        return x[index]

    return reverse_constant


@older_form("tensor, dims=axis, name")
def reverse(tensor: TensorLike, axis: Any, name: str | None = None) -> Tensor:
    """The tensor with some of its dimensions reversed.

    Args:
        tensor: a tensor of rank at most 8, of numbers, bools or strings.
        axis: an int32 or int64 vector, or a single number: the dimensions to reverse, from the
            end where they are negative. Or, as older documents have it, a bool vector `dims` that
            states for each dimension whether to reverse it.
        name: a name for the op.

    Returns:
        A Tensor of the same dtype and shape.

    Raises:
        ValueError: `axis` is known not to fit; what is known only in the run is an
            InvalidArgumentError.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.reverse([[1, 2], [3, 4]], [1])))
        ...     print(session.run(td.reverse([[1, 2], [3, 4]], [True, False])))
        [[2 1]
         [4 3]]
        [[3 4]
         [1 2]]
    """
    axis = [axis] if isinstance(axis, int) else axis
    op = REVERSE if _is_mask(axis) else REVERSE_V2
    return op(tensor, axis, name=name)


def _is_mask(axis: Any) -> bool:
    if isinstance(axis, (list, tuple)):
        return any(isinstance(item, (bool, np.bool_)) for item in axis)
    return hasattr(axis, "dtype") and as_dtype(axis.dtype).base_dtype.is_bool


def reverse_v2(tensor: TensorLike, axis: Any, name: str | None = None) -> Tensor:
    """The tensor with some of its dimensions reversed: `reverse` under an intermediate name.

    Args:
        tensor: a tensor of rank at most 8, of numbers, bools or strings.
        axis: an int32 or int64 vector: the dimensions to reverse.
        name: a name for the op.

    Returns:
        A Tensor of the same dtype and shape.

    Raises:
        ValueError: `axis` is known not to fit.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.reverse_v2([1, 2, 3], [0])))
        [3 2 1]
    """
    return reverse(tensor, axis, name=name)


REVERSE_SEQUENCE = OpDef(
    "ReverseSequence",
    "input: T, seq_lengths: Tlen -> output: T",
    "seq_dim: int32, batch_dim: int32 = 0, T: type, Tlen: {int32, int64} = int64",
    traits=Move(symbolic=False),
)


@REVERSE_SEQUENCE.split
def _reverse_sequence_split(c: SplitContext) -> Partition:
    axis, of_lengths = c.axis("input"), c.axis("seq_lengths")
    batch, along_axis = c.attr("batch_dim"), c.attr("seq_dim")
    rank = len(c.known_sizes(c.input("input")))
    if axis is None and of_lengths is not None:
        axis = batch % rank
    if axis is None or axis == along_axis % rank:
        raise NotSplittable("it goes along the axis that is split")
    if axis == batch % rank:
        return Partition([along(axis), along(0)], [along(axis)])
    if of_lengths is not None:
        raise NotSplittable("its inputs are split along different axes")
    return Partition([along(axis), WHOLE], [along(axis)])


# One gather costs more per element, but less per sequence, than reversing them one by one.
_LONG_SEQUENCE = 256
_FEW_SEQUENCES = 24


@REVERSE_SEQUENCE.shape
def _reverse_sequence_shape(c: ShapeContext) -> TensorShape:
    lengths: Any = c.shape("seq_lengths", rank=1).sizes
    sizes: Any = c.shape("input").sizes
    if sizes is None:
        return UNKNOWN_SHAPE
    batch = _check_dim("batch_dim", c.attr("batch_dim"), len(sizes))
    _check_dim("seq_dim", max(c.attr("seq_dim"), 0), len(sizes))  # TensorFlow leaves < 0 to the run
    size = c.same_size("the batch size and the number of seq_lengths", sizes[batch], lengths[0])
    return TensorShape.of((*sizes[:batch], size, *sizes[batch + 1 :]))


def _check_dim(name: str, dim: int, rank: int) -> int:
    if not 0 <= dim < rank:
        raise ValueError(f"{name} = {dim} is not in [0, {rank})")
    return dim


@REVERSE_SEQUENCE.view_kernel
def _reverse_sequence_kernel(c: KernelContext) -> Kernel:
    batch_dim, seq_dim = c.attr("batch_dim"), c.attr("seq_dim")

    def reverse_sequence(x: Array, lengths: Array) -> Array:
        _check_dim("batch_dim", batch_dim, x.ndim)
        _check_dim("seq_dim", seq_dim, x.ndim)
        _check_lengths(lengths, x.shape[batch_dim], x.shape[seq_dim])
        rest = [axis for axis in range(x.ndim) if axis not in (batch_dim, seq_dim)]
        order = [batch_dim, seq_dim, *rest]
        if x.shape[seq_dim] >= _LONG_SEQUENCE or len(lengths) <= _FEW_SEQUENCES:
            result = x.copy()
            rows = zip(x.transpose(order), result.transpose(order), lengths.tolist(), strict=True)
            for row, reversed_row, length in rows:
                reversed_row[:length] = row[:length][::-1]
            return result
        return _gathered(x.transpose(order), lengths).transpose(np.argsort(order))

    if batch_dim == seq_dim:
        raise ValueError(f"batch_dim and seq_dim must differ, got {batch_dim} for both")
    return reverse_sequence


def _check_lengths(lengths: Array, batch: int, longest: int) -> None:
    if lengths.shape != (batch,):
        raise ValueError(f"seq_lengths must have shape [{batch}], got {list(lengths.shape)}")
    bad = (lengths < 0) | (lengths > longest)
    if bad.any():
        i = int(bad.argmax())
        raise ValueError(f"seq_lengths[{i}] = {lengths[i]} is not in [0, {longest}]")


def _gathered(x: Array, lengths: Array) -> Array:
    """`x` of shape [batch, longest, ...] with the start of each sequence reversed."""
    batch, longest = x.shape[:2]
    position = np.arange(longest)
    last = lengths.astype(np.int64)[:, np.newaxis] - 1
    source = np.where(position <= last, last - position, position)
    source += longest * np.arange(batch)[:, np.newaxis]
    return x.reshape(batch * longest, *x.shape[2:]).take(source, axis=0)


@renamed(seq_dim="seq_axis", batch_dim="batch_axis")
@older_form("input, seq_lengths, seq_dim=seq_axis, name", is_older=string_at(3))
def reverse_sequence(
    input: TensorLike,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Tensor:
    """The tensor with the first elements of each of its sequences reversed.

    Args:
        input: a tensor of any dtype, of rank at least 2.
        seq_lengths: an int32 or int64 vector: for each index along `batch_axis`, how many elements
            along `seq_axis` to reverse. (The documents ask for less than there are; TensorFlow
            allows all of them, and so does this.)
        seq_axis: the dimension along which to reverse.
        batch_axis: the dimension along which the sequences differ; by default 0.
        name: a name for the op.
        seq_dim: the older name of `seq_axis`.
        batch_dim: the older name of `batch_axis`.

    Returns:
        A Tensor of the same dtype and shape.

    Raises:
        ValueError: an axis is given under both names, or is out of range, or `seq_lengths` is
            known not to fit; what is known only in the run is an InvalidArgumentError.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = [[1, 2, 3, 4], [5, 6, 7, 8]]
        ...     print(session.run(td.reverse_sequence(x, [3, 2], seq_axis=1)))
        [[3 2 1 4]
         [6 5 7 8]]
    """
    del seq_dim, batch_dim  # the decorator has converted these to the current arguments
    return REVERSE_SEQUENCE(input, seq_lengths, seq_dim=seq_axis, batch_dim=batch_axis, name=name)
