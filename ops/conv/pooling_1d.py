"""Pooling along one dimension, as pooling of images with a single row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..array.reshape import expand_dims, squeeze
from .pooling import avg_pool, max_pool

public = {"td.nn": "avg_pool1d max_pool1d"}

# The data formats, older names included: where space is, and what images of one row have.
_FORMATS = {"NWC": (1, "NHWC"), "NHWC": (1, "NHWC"), "NCW": (2, "NCHW"), "NCHW": (2, "NCHW")}


def _numbers(name: str, value: Any, at: int) -> list[int]:
    """One number for each dimension of an image of one row.

    Raises:
        ValueError: there are neither one nor three.
    """
    numbers = list(value) if isinstance(value, (list, tuple)) else [value]
    if len(numbers) == 1:
        numbers = [1, 1, 1]
        numbers[at] = value[0] if isinstance(value, (list, tuple)) else value
    if len(numbers) != 3:
        raise ValueError(f"{name} must have 1 or 3 elements, got {value}")
    return [*numbers[:at], 1, *numbers[at:]]


def _place(data_format: str | None) -> tuple[int, str]:
    if data_format not in (None, *_FORMATS):
        raise ValueError(f"data_format = {data_format!r} is neither 'NWC' nor 'NCW'")
    return _FORMATS[data_format or "NWC"]


_SCOPES = {max_pool: "MaxPool1d", avg_pool: "AvgPool1D"}  # as in TensorFlow


def _pool(
    pool: Callable[..., Tensor],
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str,
    name: str | None,
) -> Tensor:
    at, image_format = _place(data_format)
    with name_scope(name, _SCOPES[pool], [input]):
        image = expand_dims(convert_to_tensor(input, name="input"), at)
        sizes, steps = _numbers("ksize", ksize, at), _numbers("strides", strides, at)
        return squeeze(pool(image, sizes, steps, padding, image_format), [at])


def max_pool1d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """Max pooling of sequences.

    Args:
        input: sequences `[batch, width, channels]` of numbers.
        ksize: the size of the window: a number, or one for each dimension of `input`.
        strides: how far the window moves from one position to the next, as `ksize`.
        padding: "VALID" for the positions inside the sequence; "SAME" for one position per stride.
        data_format: "NWC", or "NCW" where the channels are the second dimension.
        name: a name for the scope of the ops.

    Returns:
        A Tensor `[batch, out_width, channels]`.

    Raises:
        ValueError: the rank is not 3, or the window is larger than the sequence.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     pool = td.nn.max_pool1d([[[1.0], [5.0], [2.0], [3.0]]], 2, 2, "VALID")
        ...     print(session.run(pool)[0, :, 0])
        [5. 3.]
    """
    return _pool(max_pool, input, ksize, strides, padding, data_format, name)


def avg_pool1d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """Average pooling of sequences.

    Args:
        input: sequences `[batch, width, channels]` of half, bfloat16, float32 or float64.
        ksize: the size of the window: a number, or one for each dimension of `input`.
        strides: how far the window moves from one position to the next, as `ksize`.
        padding: "VALID" for the positions inside the sequence; "SAME" for one position per stride.
        data_format: "NWC", or "NCW" where the channels are the second dimension.
        name: a name for the scope of the ops.

    Returns:
        A Tensor `[batch, out_width, channels]`.

    Raises:
        ValueError: the rank is not 3, or the window is larger than the sequence.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     pool = td.nn.avg_pool1d([[[1.0], [5.0], [2.0], [3.0]]], 2, 2, "VALID")
        ...     print(session.run(pool)[0, :, 0])
        [3.  2.5]
    """
    return _pool(avg_pool, input, ksize, strides, padding, data_format, name)
