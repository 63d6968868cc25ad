"""Framing of signals, and overlap-add."""

from __future__ import annotations

from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...shape_inference.rules import normal_axis
from ..array.concat import concat
from ..array.pad import pad
from ..array.ranges import range as numbers_in
from ..array.reshape import reshape
from ..array.shapes import shape
from ..array.stack import stack
from ..array.transpose import transpose
from ..indexing.gather import gather
from ..math.arithmetic import maximum
from ..math.reductions import reduce_sum

public = {"td.signal": "frame overlap_and_add"}


def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Splits a dimension into frames, which may overlap.

    Args:
        signal: a tensor of known rank.
        frame_length: a scalar integer: the size of a frame.
        frame_step: a scalar integer: how far from one another frames begin.
        pad_end: whether frames that begin within the signal and end behind it are taken, with
            `pad_value` for what lacks.
        pad_value: a scalar.
        axis: the dimension.
        name: a name for the scope of the ops.

    Returns:
        A Tensor with two dimensions, [frames, frame_length], instead of `axis`. With
        `pad_end` there are ceil(n / frame_step) frames of n samples, otherwise
        1 + (n - frame_length) // frame_step, or none.

    Raises:
        ValueError: the rank is unknown or 0, or `axis` is not below it.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.signal.frame([1, 2, 3, 4, 5], 3, 2)))
        [[1 2 3]
         [3 4 5]]
    """
    with name_scope(name, "frame", [signal, frame_length, frame_step, pad_value]):
        signal = convert_to_tensor(signal)
        if signal.shape.rank is None:
            raise ValueError("signal must be of known rank, got one of unknown shape")
        axis = normal_axis(axis, signal.shape.rank)
        length = convert_to_tensor(frame_length, "int32")
        step = convert_to_tensor(frame_step, "int32")
        samples = shape(signal)[axis]
        if pad_end:
            number = -(-samples // step)
            lacking = maximum(0, length + step * (number - 1) - samples)
            before = [[0, 0]] * axis
            after = [[0, 0]] * (signal.shape.rank - axis - 1)
            paddings = stack([*before, stack([0, lacking]), *after])
            signal = pad(signal, paddings, constant_values=pad_value)
        else:
            number = maximum(0, 1 + (samples - length) // step)
        begins = numbers_in(number) * step
        return gather(signal, begins[:, None] + numbers_in(length), axis=axis)


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """Overlap-add: sums frames that start `frame_step` apart.

    Args:
        signal: a tensor of shape [..., frames, frame_length].
        frame_step: a scalar integer: how far from one another frames begin.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of shape [..., (frames - 1) * frame_step + frame_length].

    Raises:
        ValueError: the rank is below 2, or `frame_step` is not a scalar integer.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.signal.overlap_and_add([[1, 2, 3], [10, 20, 30]], 2)))
        [ 1  2 13 20 30]
    """
    with name_scope(name, "overlap_and_add", [signal, frame_step]):
        signal = convert_to_tensor(signal)
        signal.shape.with_rank_at_least(2)
        step = convert_to_tensor(frame_step)
        if not step.dtype.is_integer or step.shape.rank not in (0, None):
            raise ValueError(f"frame_step must be a scalar integer, got {step}")
        sizes = shape(signal)
        outer, frames, length = sizes[:-2], sizes[-2], sizes[-1]
        parts = -(-length // step)  # each frame consists of so many parts of a step's length
        left = [[0, 0]] * 2
        signal = reshape(signal, concat([[-1], sizes[-2:]], 0))
        signal = pad(signal, stack([*left, stack([0, parts * step - length])]))
        signal = reshape(signal, stack([-1, frames, parts, step]))
        # Part k of a frame belongs k steps later. Rows that are longer by one, for each k, move
        # it there: behind the frames of each part stands room for the parts.
        signal = pad(transpose(signal, [0, 2, 1, 3]), stack([*left, stack([0, parts]), [0, 0]]))
        signal = reshape(signal, stack([-1, parts * (frames + parts), step]))
        signal = reshape(
            signal[:, : parts * (frames + parts - 1)], stack([-1, parts, frames + parts - 1, step])
        )
        total = reshape(reduce_sum(signal, 1), concat([outer, [(frames + parts - 1) * step]], 0))
        return total[..., : (frames - 1) * step + length]
