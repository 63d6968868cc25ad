"""Convolution in one to three spatial dimensions, chosen by rank."""

from __future__ import annotations

from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..array.reshape import expand_dims, squeeze
from ..common.call_forms import renamed
from .convolution import conv2d, conv3d

public = {
    "td.nn": "convolution",
}

_SPACE = {1: "W", 2: "HW", 3: "DHW"}


def space_format(rank: int, data_format: str | None) -> str:
    """Returns the data format, after checks; None means channels last.

    Raises:
        ValueError: it is not one for so many spatial dimensions, or there are none for them.
    """
    if rank not in _SPACE:
        raise ValueError(f"windows of 1, 2 or 3 dimensions are possible, got one of {rank}")
    formats = (f"N{_SPACE[rank]}C", f"NC{_SPACE[rank]}")
    if data_format is not None and data_format not in formats:
        raise ValueError(f"data_format must be {' or '.join(formats)}, got {data_format!r}")
    return data_format or formats[0]


def each_dimension(name: str, value: Any, rank: int) -> list[int]:
    """Returns one number per spatial dimension, from a list, one number for all, or None for 1."""
    numbers = [1] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]
    if len(numbers) not in (1, rank) or min(numbers) < 1:
        raise ValueError(f"{name} must be {rank} numbers of at least 1, got {value}")
    return numbers * (rank // len(numbers))


@renamed(filters="filter", dilations="dilation_rate")
def convolution(
    input: TensorLike,
    filter: TensorLike | None = None,
    padding: Any = None,
    strides: Any = None,
    dilation_rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: TensorLike | None = None,
    dilations: Any = None,
) -> Tensor:
    """Convolution of sequences, images or volumes, by the rank of the filter.

    Args:
        input: `[batch, *space, channels]` of floats, with one to three spatial dimensions.
        filter: `[*sizes, channels, out_channels]`, of the dtype of `input` and of its rank.
        padding: "VALID" or "SAME", as for `td.nn.conv2d`.
        strides: how far the window moves: a number for each spatial dimension, or one for all;
            by default 1.
        dilation_rate: how far apart the elements of the window are, as `strides`. Unlike
            TensorFlow's, it may be more than 1 where strides are.
        name: a name for the scope of the ops.
        data_format: "NWC", "NHWC" or "NDHWC" by rank; or "NCW", "NCHW" or "NCDHW", where the
            channels come before space.
        filters: another name of `filter`.
        dilations: another name of `dilation_rate`.

    Returns:
        A Tensor `[batch, *out_space, out_channels]` of the dtype of `input`.

    Raises:
        TypeError: the dtypes differ.
        ValueError: the rank of the filter is not known, or not 3 to 5; the data format, strides or
            rates are none for it; what `td.nn.conv2d` refuses.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     row = np.arange(5, dtype=np.float32).reshape(1, 5, 1)
        ...     sums = td.nn.convolution(row, np.ones((2, 1, 1), "f"), "VALID", dilation_rate=[3])
        ...     print(session.run(sums).ravel())
        [3. 5.]
    """
    with name_scope(name, "convolution", [input, filter]):
        kernel = convert_to_tensor(filter, name="filter")
        value = convert_to_tensor(input, kernel.dtype.base_dtype, name="input")
        if kernel.shape.rank is None:
            raise ValueError("the rank of filter must be known: it selects the convolution")
        rank = kernel.shape.rank - 2
        form = space_format(rank, data_format)
        steps, rates = (
            each_dimension("strides", strides, rank),
            each_dimension("dilation_rate", dilation_rate, rank),
        )
        if rank > 1:
            convolve = conv2d if rank == 2 else conv3d
            return convolve(value, kernel, steps, padding, data_format=form, dilations=rates)
        at = form.index("W")
        images, rows = expand_dims(value, at), expand_dims(kernel, 0)
        form, rates = form.replace("W", "HW"), [1, *rates]
        result = conv2d(images, rows, [1, *steps], padding, data_format=form, dilations=rates)
        return squeeze(result, [at])
