"""Sliding of filters and output sizes, shared by all convolutions."""

from __future__ import annotations

from collections.abc import Sequence

from ...shape_inference.context import OpContext
from ...shape_inference.protocols import Array
from ...shape_inference.sliding_windows import Sliding, check_only_space, sliding
from ...shape_inference.symbolic.symbolic import Dim
from ...shape_inference.tensor_shape import TensorShape


def conv_sliding(c: OpContext, rank: int) -> Sliding:
    """Sliding parameters of a convolution's filters.

    Raises:
        ValueError: they would slide over anything but space.
    """
    slide = sliding(c, rank)
    check_only_space("strides", slide.strides, slide.channels)
    check_only_space("dilations", slide.rates, slide.channels)
    check_only_space("explicit_paddings", slide.margins, slide.channels, 0)
    return slide


def conv_sizes(
    slide: Sliding, image: Sequence[Dim], filters: Sequence[Dim], name: str = "input"
) -> tuple[Dim, ...]:
    """The sizes of a convolution [batch, *space, channels], of which any may be an expression.

    Raises:
        ValueError: a filter is larger than the image, or the channels do not fit together.
    """
    depth, filter_depth, out = image[slide.channels], filters[-2], filters[-1]
    # TensorFlow lets a convolution of images, but not one of volumes, make no channels.
    if 0 in (filters if len(filters) > 4 else filters[:-1]):
        raise ValueError(f"filter must not be empty, got shape {TensorShape.of(tuple(filters))}")
    if isinstance(depth, int) and isinstance(filter_depth, int):
        groups, rest = divmod(depth, filter_depth)
        if rest or not groups:
            raise ValueError(
                f"{name} has {depth} channels, and filter, of shape {_text(filters)}, takes "
                f"{filter_depth}: they must be equal, or the first a multiple of the other"
            )
        if isinstance(out, int) and out % groups:
            raise ValueError(
                f"{name} has {depth} channels, and filter, of shape {_text(filters)}, takes "
                f"{filter_depth}: that makes {groups} groups, and the {out} channels which filter "
                f"makes are no multiple of {groups}; for one group filter takes {depth}"
            )
    space = [
        window.positions(image[axis], name)
        for axis, window in zip(slide.space, slide.windows(filters[:-2]), strict=True)
    ]
    return slide.put_together(image[0], space, out)


def _text(sizes: Sequence[Dim]) -> str:
    return str(TensorShape.of(tuple(sizes)))


def check_ranks(rank: int, **arrays: Array) -> None:
    """Checks the ranks of arguments, given by name.

    Raises:
        ValueError: one is of another rank.
    """
    for name, array in arrays.items():
        if array.ndim != rank:
            raise ValueError(f"{name} must have rank {rank}, got shape {list(array.shape)}")
