"""Flips and rotations of images, also at random: `td.image`."""

from __future__ import annotations

from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.constant_value import constant_value
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...protos.dtypes import int32
from ..array.reshape import reshape
from ..array.reverse import reverse
from ..array.shapes import shape
from ..array.stack import stack
from ..array.transpose import transpose
from ..common.shared_docs import shared_docs
from ..math.comparison import equal, greater, less
from ..math.logical import logical_or
from ..math.where import where_v2
from ..random.uniform_and_normal import random_uniform
from .image_shapes import as_image

public = {
    "td.image": (
        "flip_left_right flip_up_down random_flip_left_right random_flip_up_down rot90 "
        "transpose=transpose_image transpose_image"
    )
}

_ROWS, _COLUMNS, _CHANNELS = -3, -2, -1


_flipping = shared_docs(
    {
        "image": "[rows, columns, channels], or a batch of such.",
        "seed": ("a seed, for the same draws in each session; see also `td.set_random_seed`."),
    },
    returns="A Tensor as `image`.",
    raises="ValueError: the image has another rank.",
)


@_flipping
def flip_left_right(image: TensorLike) -> Tensor:
    """Images as a mirror beside them shows them.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.image.flip_left_right([[[1], [2], [3]]])).ravel())
        [3 2 1]
    """
    return _flip(image, _COLUMNS, "flip_left_right")


@_flipping
def flip_up_down(image: TensorLike) -> Tensor:
    """Images upside down, as still water shows them.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.image.flip_up_down([[[1]], [[2]]])).ravel())
        [2 1]
    """
    return _flip(image, _ROWS, "flip_up_down")


def _flip(image: Any, axis: int, name: str) -> Tensor:
    with name_scope(None, name, [image]):
        x, rank = as_image(image)
        return reverse(x, [axis + rank])


@_flipping
def random_flip_left_right(image: TensorLike, seed: int | None = None) -> Tensor:
    """Images, flipped left to right at random: each with probability one half.

    Args:
        image: [rows, columns, channels], or a batch of such, of which each is flipped by itself.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     image = td.image.random_flip_left_right([[[1], [2]]], seed=1)
        ...     sorted(session.run(image).ravel().tolist())
        [1, 2]
    """
    return _random_flip(image, _COLUMNS, seed, "random_flip_left_right")


@_flipping
def random_flip_up_down(image: TensorLike, seed: int | None = None) -> Tensor:
    """Images, turned upside down at random: each with probability one half.

    Args:
        image: [rows, columns, channels], or a batch of such, of which each is flipped by itself.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     image = td.image.random_flip_up_down([[[1]], [[2]]], seed=1)
        ...     sorted(session.run(image).ravel().tolist())
        [1, 2]
    """
    return _random_flip(image, _ROWS, seed, "random_flip_up_down")


def _random_flip(image: Any, axis: int, seed: int | None, name: str) -> Tensor:
    with name_scope(None, name, [image]):
        x, rank = as_image(image)
        if rank == 3:
            chosen = less(random_uniform([], 0, 1.0, seed=seed), 0.5)
        else:  # TensorFlow rounds these draws, so that here the greater half flips
            draws = random_uniform(stack([shape(x)[0]]), seed=seed)
            chosen = reshape(greater(draws, 0.5), [-1, 1, 1, 1])
        return where_v2(chosen, reverse(x, [axis + rank]), x)


_turning = shared_docs(
    {
        "image": "[rows, columns, channels], or a batch of such.",
        "name": "a name for the scope of the ops.",
    },
    returns="A Tensor of the dtype of `image`.",
    raises="ValueError: the image has another rank.",
)


@_turning
def rot90(image: TensorLike, k: Any = 1, name: str | None = None) -> Tensor:
    """Images turned counter-clockwise by right angles.

    Args:
        k: how many right angles: a number or a scalar Tensor of int32.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.image.rot90([[[1], [2]]])).ravel())
        [2 1]
    """
    with name_scope(name, "rot90", [image, k]):
        x, rank = as_image(image)
        turns = convert_to_tensor(k, int32, name="k") % 4
        count = constant_value(turns)
        rows, columns = rank + _ROWS, rank + _COLUMNS
        batch = list(range(rows))
        swapped = [*batch, columns, rows, rank + _CHANNELS]
        if count is not None:
            number = count.item()
            turned = transpose(x, swapped) if number % 2 else x
            axes = [axis for axis, when in ((rows, (1, 2)), (columns, (2, 3))) if number in when]
            return reverse(turned, axes)
        turned = transpose(x, where_v2(equal(turns % 2, 1), swapped, list(range(rank))))
        flips = (
            logical_or(equal(turns, 1), equal(turns, 2)),
            logical_or(equal(turns, 2), equal(turns, 3)),
        )
        return reverse(turned, stack([*[False] * rows, *flips, False]))


@_turning
def transpose_image(image: TensorLike, name: str | None = None) -> Tensor:
    """Images with rows for columns: the first two dimensions of each change places.

    Example:
        >>> with td.Graph().as_default():
        ...     td.image.transpose_image(td.zeros([2, 5, 3])).shape.as_list()
        [5, 2, 3]
    """
    with name_scope(name, "transpose_image", [image]):
        x, rank = as_image(image)
        return transpose(x, [*range(rank - 3), rank + _COLUMNS, rank + _ROWS, rank + _CHANNELS])
