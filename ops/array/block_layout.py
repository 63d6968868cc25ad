"""Layouts that move blocks of space into the batch and back."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...shape_inference.protocols import Array
from ...shape_inference.symbolic.sizes import divided
from ...shape_inference.symbolic.symbolic import Dim, less, product

if TYPE_CHECKING:
    Block = tuple[Any, ...]
    Margins = tuple[tuple[Any, Any], ...]
    Quotient = Callable[[str, Dim, Dim], Dim]


def checked_block(name: str, block: Array, margins: Array) -> tuple[Block, Margins]:
    """The block, and the paddings or crops around the space, as tuples.

    Raises:
        ValueError: they have the wrong shape, or a number is (known to be) too small.
    """
    if block.ndim != 1:
        raise ValueError(f"block_shape must have rank 1, got shape {list(block.shape)}")
    if margins.shape != (len(block), 2):
        raise ValueError(f"{name} must have shape [{len(block)}, 2], got {list(margins.shape)}")
    sizes = tuple(block.tolist())
    pairs = tuple(map(tuple, margins.tolist()))
    for i, size in enumerate(sizes):
        if less(size, 1):
            raise ValueError(f"block_shape[{i}] = {size} is not at least 1")
    for i, pair in enumerate(pairs):
        for j, size in enumerate(pair):
            if less(size, 0):
                raise ValueError(f"{name}[{i},{j}] = {size} is negative")
    return sizes, pairs


def space_to_batch_sizes(
    sizes: Sequence[Dim], block: Block, paddings: Margins, quotient: Quotient = divided
) -> tuple[Dim, ...]:
    """Sizes of the result of SpaceToBatch; any of them may be an expression.

    Raises:
        ValueError: a padded size is not a multiple of the block's.
    """
    space: list[Dim] = []
    for i, (size, step, (before, after)) in enumerate(
        zip(sizes[1 : 1 + len(block)], block, paddings, strict=True)
    ):
        name = f"dimension {i + 1} of input, padded by {before} + {after},"
        space.append(quotient(name, before + size + after, step))
    return (sizes[0] * product(block), *space, *sizes[1 + len(block) :])


def batch_to_space_sizes(
    sizes: Sequence[Dim], block: Block, crops: Margins, quotient: Quotient = divided
) -> tuple[Dim, ...]:
    """Sizes of the result of BatchToSpace; any of them may be an expression.

    Raises:
        ValueError: the batch is not a multiple of the block, or the crops exceed a size.
    """
    blocks = product(block)
    batch = quotient("the batch of input", sizes[0], blocks)
    space: list[Dim] = []
    for i, (size, step, (before, after)) in enumerate(
        zip(sizes[1 : 1 + len(block)], block, crops, strict=True)
    ):
        left = size * step - before - after
        if less(left, 0):
            raise ValueError(
                f"crops[{i}] = [{before}, {after}] is more than there is: {size} * {step}"
            )
        space.append(left)
    return (batch, *space, *sizes[1 + len(block) :])


@functools.lru_cache(maxsize=256)
def space_to_batch_layout(
    shape: tuple[int, ...], block: Block, paddings: Margins
) -> tuple[Any, ...]:
    """The padded shape, the input's position in it, the split shape, axis order, result shape."""
    _check_rank(shape, block)
    sizes = space_to_batch_sizes(shape, block, paddings)
    count = len(block)
    padded = (
        shape[0],
        *[n + before + after for n, (before, after) in zip(shape[1:], paddings, strict=False)],
        *shape[1 + count :],
    )
    inner = (
        slice(None),
        *[slice(start, start + n) for n, (start, _) in zip(shape[1:], paddings, strict=False)],
    )
    split = [shape[0]]
    for size, step in zip(sizes[1:], block, strict=False):
        split += [int(size), step]
    split += shape[1 + count :]
    # Split into batch, (grid, block) of each dimension, rest.
    order = (
        *range(2, 2 * count + 1, 2),
        0,
        *range(1, 2 * count, 2),
        *range(2 * count + 1, len(split)),
    )
    return padded, inner, tuple(split), order, sizes


@functools.lru_cache(maxsize=256)
def batch_to_space_layout(shape: tuple[int, ...], block: Block, crops: Margins) -> tuple[Any, ...]:
    """The split shape and axis order of the input, the shape before cropping, and the crop."""
    _check_rank(shape, block)
    sizes = batch_to_space_sizes(shape, block, crops)
    count = len(block)
    split = (*block, sizes[0], *shape[1:])
    order = [count]
    for i in range(count):
        order += [count + 1 + i, i]
    order += range(2 * count + 1, len(split))
    whole = (
        sizes[0],
        *[n * step for n, step in zip(shape[1:], block, strict=False)],
        *shape[1 + count :],
    )
    inner = (
        slice(None),
        *[slice(start, start + int(n)) for n, (start, _) in zip(sizes[1:], crops, strict=False)],
    )
    return split, tuple(order), whole, inner


def _check_rank(shape: tuple[int, ...], block: Block) -> None:
    if len(shape) < len(block) + 1:
        raise ValueError(
            f"input must have rank at least {len(block) + 1}, one more than block_shape has "
            f"elements, got shape {list(shape)}"
        )
