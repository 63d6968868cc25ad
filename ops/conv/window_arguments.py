"""Strides, sizes and paddings of windows in the forms that the public functions take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def over_space(name: str, value: Any, data_format: str, default: int | None = None) -> list[int]:
    """One number per dimension, from an argument that may cover only the spatial dimensions.

    Args:
        name: the argument.
        value: one number for all of space, or one for each dimension of it, or of the tensor.
        data_format: names the dimensions, as "NHWC".
        default: the value for None.

    Raises:
        ValueError: there are too few or too many numbers.
    """
    rank = len(data_format)
    numbers: list[Any] = [default if value is None else value]
    if isinstance(value, (list, tuple)):
        numbers = list(value)
    if len(numbers) == 1:
        numbers *= rank - 2
    if len(numbers) == rank - 2:
        return [1, 1, *numbers] if data_format.startswith("NC") else [1, *numbers, 1]
    if len(numbers) != rank:
        raise ValueError(f"{name} must have 1, {rank - 2} or {rank} elements, got {value}")
    return numbers


def padding_attrs(padding: str | Sequence[Sequence[int]]) -> dict[str, Any]:
    """The attrs that say "SAME", "VALID", or the margins before and after each dimension."""
    if isinstance(padding, str):
        return {"padding": padding}
    if not isinstance(padding, (list, tuple)):
        raise TypeError(
            "padding must be 'SAME', 'VALID', or the margins before and after each dimension, got "
            f"{padding!r}"
        )
    return {"padding": "EXPLICIT", "explicit_paddings": [n for pair in padding for n in pair]}


def window_attrs(strides: Any, padding: Any, data_format: str, dilations: Any) -> dict[str, Any]:
    """The attrs of a convolution that say how its window moves.

    Args:
        strides: as for `over_space`.
        padding: as for `padding_attrs`.
        data_format: names the dimensions, as "NHWC".
        dilations: as for `over_space`.
    """
    return {
        "strides": over_space("strides", strides, data_format, 1),
        "data_format": data_format,
        "dilations": over_space("dilations", dilations, data_format, 1),
        **padding_attrs(padding),
    }
