"""Padding with a value or a reflection: pad, and the gradient of mirror padding."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...runtime.jit.copy_loops import copy_by_loop, fill_by_loop
from ...runtime.jit.recording import recorded_tape
from ...runtime.kernel_spec import Folding, KernelSpec, Memory
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE
from ...shape_inference.split_rules import following
from ...shape_inference.symbolic.symbolic import less
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move
from ..common.allocation import check_size
from ..common.call_forms import renamed

public = {"td": "pad"}


PADDINGS = "T: type, Tpaddings: {int32, int64} = int32"
PAD = OpDef("Pad", "input: T, paddings: Tpaddings -> output: T", PADDINGS, traits=Move())
PAD.split(following("input"))
PAD_V2 = OpDef(
    "PadV2",
    "input: T, paddings: Tpaddings, constant_values: T -> output: T",
    PADDINGS,
    traits=Move(),
)
PAD_V2.split(following("input"))
MIRROR_PAD = OpDef(
    "MirrorPad",
    "input: T, paddings: Tpaddings -> output: T",
    f"{PADDINGS}, mode: {{'REFLECT', 'SYMMETRIC'}}",
    traits=Move(),
)
MIRROR_PAD.split(following("input"))


@PAD.shape
@PAD_V2.shape
@MIRROR_PAD.shape
def _pad_shape(c: ShapeContext) -> TensorShape:
    spec = c.shape("paddings", rank=2)
    rank = c.shape("input").rank
    if not spec.is_compatible_with([rank, 2]):
        raise ValueError(f"paddings must have shape {TensorShape([rank, 2])}, got {spec}")
    rows = spec.as_list()[0]
    sizes = c.shape("input", rank=rows).sizes
    if sizes is None:
        return UNKNOWN_SHAPE
    paddings = c.value("paddings")
    if paddings is None:
        return TensorShape.of((None,) * len(sizes))
    const = c.const("paddings")
    if const is not None:
        _check_paddings(const)
    return TensorShape.of(
        tuple(
            None if any(isinstance(pad, int) and pad < 0 for pad in row) else n + sum(row)
            for n, row in zip(sizes, paddings.tolist(), strict=True)
        )
    )


def _check_paddings(paddings: Array) -> None:
    for (i, j), pad in np.ndenumerate(paddings):
        if pad < 0:
            raise ValueError(f"paddings[{i},{j}] = {pad} is negative")


Span = tuple[int, int, int]
Around = tuple[tuple[slice, ...], tuple[slice, ...]]


class _Frame(NamedTuple):
    """Steps that fill a padded tensor: the input in the centre, then the borders one by one."""

    shape: tuple[int, ...]
    centre: tuple[slice, ...]
    borders: Sequence[Any]


def _frame(
    shape: Sequence[int],
    paddings: Array,
    borders: Callable[..., Iterator[Any]],
    dtype: np.dtype[Any],
) -> _Frame:
    """The frame for an input of `shape`.

    `borders(axis, span, around)` gives what to fill along one dimension, which reaches into the
    borders of those before it, and only into the centre of those behind it.
    """
    if paddings.shape != (len(shape), 2):
        raise ValueError(f"paddings must have shape ({len(shape)}, 2), got {paddings.shape}")
    _check_paddings(paddings)
    spans = [(b, n, a) for n, (b, a) in zip(shape, paddings.tolist(), strict=True)]
    centre = tuple([slice(b, b + n) for b, n, _ in spans])
    frames: list[Any] = []
    for axis, span in enumerate(spans):
        around = (slice(None),) * axis, centre[axis + 1 :]
        frames += borders(axis, span, around)
    return _Frame(check_size([sum(span) for span in spans], dtype), centre, frames)


def _frames(c: KernelContext, borders: Callable[..., Iterator[Any]]) -> Callable[..., _Frame]:
    """Returns a function from shape and paddings to the frame, cached by shape if possible."""
    paddings, dtype = c.const("paddings"), c.output_dtype.numpy_dtype
    if paddings is None:

        def frame_for(shape: tuple[int, ...], paddings: Array) -> _Frame:
            return _frame(shape, paddings, borders, dtype)

        return frame_for

    @functools.lru_cache(maxsize=8)
    def frame_once(shape: tuple[int, ...]) -> _Frame:
        return _frame(shape, paddings, borders, dtype)

    def known_frame_for(shape: tuple[int, ...], _: Array) -> _Frame:
        return frame_once(shape)

    return known_frame_for


def _constant_borders(axis: int, span: Span, around: Around) -> Iterator[tuple[slice, ...]]:
    before, size, after = span
    if before:
        yield (*around[0], slice(before), *around[1])
    if after:
        yield (*around[0], slice(before + size, None), *around[1])


@PAD.fresh_kernel
@PAD_V2.fresh_kernel
def _pad_kernel(c: KernelContext) -> Kernel:
    frame_for = _frames(c, _constant_borders)
    zero: Any = b"" if c.output_dtype.name == "string" else 0

    def pad(x: Array, paddings: Array, value: Any = zero) -> Array:
        if value is not zero and value.ndim:
            raise ValueError(f"constant_values must be a scalar, got shape {list(value.shape)}")
        frame = frame_for(x.shape, paddings)
        result = np.empty(frame.shape, x.dtype)
        result[frame.centre] = x
        for border in frame.borders:
            result[border] = value
        return result

    def padded_by_loops(x: Array, paddings: Array) -> Array:
        tape, frame = recorded_tape(), frame_for(x.shape, paddings)
        result = np.empty(frame.shape, x.dtype)
        fill_by_loop(tape, result, 0)
        copy_by_loop(tape, x, result[frame.centre])
        return result

    constant = c.node.definition is PAD and c.const("paddings") is not None
    return KernelSpec(
        pad,
        Memory.FRESH,
        folding=Folding(padding=_margins_of_zeros(c)),
        native=padded_by_loops if constant else None,
    )


def _margins_of_zeros(c: KernelContext) -> list[int] | None:
    """Margins for `Folding` if the paddings are known and filled with zeros, else None."""
    paddings = c.const("paddings")
    if paddings is None or c.node.definition is not PAD:
        return None
    plain = paddings.ndim == 2 and paddings.min(initial=0) >= 0
    return [int(size) for size in paddings.flat] if plain else None


@MIRROR_PAD.fresh_kernel
def _mirror_pad_kernel(c: KernelContext) -> Kernel:
    edge = 1 if c.attr("mode") == b"REFLECT" else 0  # how many elements at the edge stay single

    def mirrored(axis: int, span: Span, around: Around) -> Iterator[Any]:
        before, size, after = span
        if max(before, after) > size - edge:
            raise ValueError(
                f"paddings[{axis}] = [{before}, {after}] must be at most {size - edge}, where the "
                f"dimension has size {size}"
            )
        end = before + size
        for target, first, count in (
            (slice(before), 2 * before - 1 + edge, before),
            (slice(end, None), end - 1 - edge, after),
        ):
            last = first - count
            source = slice(first, None if last < 0 else last, -1)
            if count:
                yield (
                    (*around[0], target, *around[1]),
                    (*around[0], source, *around[1]),
                )

    frame_for = _frames(c, mirrored)

    def mirror_pad(x: Array, paddings: Array) -> Array:
        frame = frame_for(x.shape, paddings)
        result = np.empty(frame.shape, x.dtype)
        result[frame.centre] = x
        for target, source in frame.borders:
            result[target] = result[source]
        return result

    return mirror_pad


@renamed(input="tensor")
def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: Any = 0,
) -> Tensor:
    """The tensor with a border around it.

    Args:
        tensor: a tensor of any dtype, of rank n.
        paddings: an int32 or int64 tensor of shape [n, 2]: how many elements to add before and
            after the tensor, for each dimension.
        mode: what to add: "CONSTANT" for zeros (empty strings, False), "REFLECT" for the tensor
            mirrored at its outermost elements, "SYMMETRIC" for the tensor mirrored behind them;
            in any case of letters.
        name: a name for the op.
        constant_values: the value that "CONSTANT" pads with, 0 by default: a scalar of the dtype of
            `tensor`.

    Returns:
        A Tensor of the dtype of `tensor`.

    Raises:
        ValueError: `mode` is none of these, or `paddings` are known not to fit; what only the run
            can tell is an InvalidArgumentError. A mirror gives at most as many elements as the
            dimension has, with "REFLECT" one less.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.pad([1, 2, 3], [[1, 2]])))
        ...     print(session.run(td.pad([1, 2, 3], [[1, 2]], "REFLECT")))
        [0 1 2 3 0 0]
        [2 1 2 3 2 1]
    """
    upper = str(mode).upper()
    if upper == "CONSTANT":
        # A tensor may hold another value when it is fed.
        if isinstance(constant_values, (int, float)) and constant_values == 0:
            return PAD(tensor, paddings, name=name)
        return PAD_V2(tensor, paddings, constant_values, name=name)
    if upper not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(
            f"mode must be CONSTANT, REFLECT or SYMMETRIC, got {mode!r}; a name is given as name="
        )
    return MIRROR_PAD(tensor, paddings, mode=upper, name=name)


MIRROR_PAD_GRAD = OpDef(
    "MirrorPadGrad",
    "input: T, paddings: Tpaddings -> output: T",
    "T: type, Tpaddings: {int32, int64} = int32, mode: {'REFLECT', 'SYMMETRIC'}",
)
MIRROR_PAD_GRAD.split(following("input"))


@MIRROR_PAD_GRAD.shape
def _mirror_pad_grad_shape(c: ShapeContext) -> TensorShape:
    rank = c.shape("paddings", rank=2)[0].value
    shape = c.shape("input", rank=rank)
    paddings = c.value("paddings")
    if shape.sizes is None or paddings is None:
        return UNKNOWN_SHAPE if shape.sizes is None else TensorShape([None] * len(shape.sizes))
    left = [
        size - before - after
        for size, (before, after) in zip(shape.sizes, paddings.tolist(), strict=True)
    ]
    for axis, size in enumerate(left):
        if less(size, 0):
            raise ValueError(f"paddings[{axis}] are more than the {shape.sizes[axis]} elements")
    return TensorShape.of(tuple(left))


@MIRROR_PAD_GRAD.fresh_kernel
def _mirror_pad_grad_kernel(c: KernelContext) -> Kernel:
    edge = 1 if c.attr("mode") == b"REFLECT" else 0  # how many elements at the edge stay single
    small = c.output_dtype.is_floating and c.output_dtype.size == 2

    def mirror_pad_grad(x: Array, paddings: Array) -> Array:
        if paddings.shape != (x.ndim, 2):
            raise ValueError(f"paddings must have shape ({x.ndim}, 2), got {paddings.shape}")
        total = x.astype(np.float32) if small else x.copy()
        for axis, (before, after) in enumerate(paddings.tolist()):
            total = _folded(np.moveaxis(total, axis, 0), axis, before, after, edge)
            total = np.moveaxis(total, 0, axis)
        return np.array(total, x.dtype, order="C")

    return mirror_pad_grad


def _folded(x: Array, axis: int, before: int, after: int, edge: int) -> Array:
    """`x` without its borders along the first axis, which are added to what they mirror."""
    size = len(x) - before - after
    if before < 0 or after < 0 or max(before, after) > size - edge:
        raise ValueError(
            f"paddings[{axis}] = [{before}, {after}] must be in [0, {max(size - edge, 0)}], where "
            f"the dimension had size {size}"
        )
    centre = x[before : before + size].copy()
    if before:
        centre[edge : edge + before] += x[:before][::-1]
    if after:
        centre[size - edge - after : size - edge] += x[before + size :][::-1]
    return centre
