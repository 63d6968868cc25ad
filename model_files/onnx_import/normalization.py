"""Normalizations of ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...protos import dtypes
from .call import Call, Rule
from .elementwise import scaled
from .nodes import (
    apply,
    axis_of,
    cast,
    cut,
    number,
    rank_of,
    reduced,
    reshape,
    shape_of,
    size_of,
    transpose,
    wide,
)
from .tensors import MalformedError, UnsupportedError


def _per_channel(values: Tensor, rank: int) -> Tensor:
    return reshape(values, [-1, *[1] * (rank - 2)]) if rank > 2 else values


def _batch_normalization(c: Call) -> Any:
    x, scale, bias, mean, variance = (c[i] for i in range(5))
    epsilon, rank = c.float("epsilon", 1e-5), rank_of(c[0])
    training = c.int("training_mode", 0)
    if not training:
        wide_scale, wide_bias, mean, variance = (
            cast(value, variance.dtype) for value in (scale, bias, mean, variance)
        )
        factor = apply("Mul", wide_scale, apply("Rsqrt", scaled(variance, 1, epsilon)))
        offset = apply("Sub", wide_bias, apply("Mul", mean, factor))
        factor, offset = (cast(_per_channel(value, rank), x.dtype) for value in (factor, offset))
        return [wide("AddV2", wide("Mul", x, factor), offset), mean, variance]
    axes = [axis for axis in range(rank) if axis != 1]
    wide_x = cast(x, mean.dtype)
    center = reduced("Mean", wide_x, axes, True)
    apart = apply("Sub", wide_x, center)
    spread = reduced("Mean", apply("Square", apart), axes, True)
    normal = apply("Mul", apart, apply("Rsqrt", scaled(spread, 1, epsilon)))
    factor, offset = (cast(_per_channel(value, rank), mean.dtype) for value in (scale, bias))
    result = cast(apply("AddV2", apply("Mul", normal, factor), offset), x.dtype)
    momentum = c.float("momentum", 0.9)
    moved = [
        apply("AddV2", scaled(old, momentum), scaled(reshape(new, [-1]), 1 - momentum))
        for old, new in ((mean, center), (variance, cast(spread, variance.dtype)))
    ]
    return [result, *moved]


def _instance_normalization(c: Call) -> Tensor:
    x = c[0]
    rank = rank_of(x)
    normal = _normalized(x, list(range(2, rank)), c.float("epsilon", 1e-5))[0]
    factor, offset = (_per_channel(c[i], rank) for i in (1, 2))
    return wide("AddV2", wide("Mul", normal, factor), offset)


def _normalized(x: Tensor, axes: Sequence[int], epsilon: float) -> tuple[Tensor, Tensor, Tensor]:
    """Elements less their mean, over their deviation; the mean; and one over the deviation."""
    mean = reduced("Mean", x, axes, True)
    apart = wide("Sub", x, mean)
    variance = reduced("Mean", wide("Square", apart), axes, True)
    inverse = wide("Rsqrt", scaled(variance, 1, epsilon))
    return wide("Mul", apart, inverse), mean, inverse


def _group_normalization(c: Call) -> Tensor:
    x, groups = c[0], c.int("num_groups")
    shape = shape_of(x)
    rank = rank_of(x)
    wider = cast(x, c.dtype("stash_type", dtypes.float32)) if c.version >= 21 else x
    channels = size_of(x, 1)
    if not isinstance(channels, int):
        raise UnsupportedError("the number of its channels is not known: not supported")
    if groups < 1 or channels % groups:
        raise MalformedError(f"num_groups = {groups} does not divide {channels} channels")
    parts = reshape(wider, [size_of(x, 0), groups, -1])
    normal = cast(_normalized(parts, [2], c.float("epsilon", 1e-5))[0], x.dtype)
    scale, bias = c[1], c[2]
    if c.version < 21:  # one for each group
        normal = apply(
            "AddV2", apply("Mul", normal, reshape(scale, [-1, 1])), reshape(bias, [-1, 1])
        )
        return apply("Reshape", normal, shape)
    normal = apply("Reshape", normal, shape)
    return wide("AddV2", wide("Mul", normal, _per_channel(scale, rank)), _per_channel(bias, rank))


def _layer_normalization(c: Call) -> Any:
    x = c[0]
    rank = rank_of(x)
    axes = list(range(axis_of(c.int("axis", -1), rank), rank))
    wider = cast(x, c.dtype("stash_type", dtypes.float32))
    normal, mean, inverse = _normalized(wider, axes, c.float("epsilon", 1e-5))
    result = wide("Mul", cast(normal, x.dtype), c[1])
    if c.has(2):
        result = wide("AddV2", result, c[2])
    return [result, mean, inverse]


def _rms_normalization(c: Call) -> Tensor:
    x = c[0]
    rank = rank_of(x)
    axes = list(range(axis_of(c.int("axis", -1), rank), rank))
    wider = cast(x, c.dtype("stash_type", dtypes.float32))
    squares = reduced("Mean", apply("Square", wider), axes, True)
    inverse = apply("Rsqrt", scaled(squares, 1, c.float("epsilon", 1e-5)))
    return wide("Mul", cast(apply("Mul", wider, inverse), c[1].dtype), c[1])


def _lrn(c: Call) -> Tensor:
    x, size = c[0], c.int("size")
    alpha, beta, bias = c.float("alpha", 1e-4), c.float("beta", 0.75), c.float("bias", 1.0)
    if size < 1:
        raise MalformedError(f"size must be positive, got {size}")
    rank = rank_of(x)
    if size % 2 and rank == 4 and x.dtype.size <= 4:
        settings = {"depth_radius": size // 2, "bias": bias, "alpha": alpha / size, "beta": beta}
        return transpose(apply("LRN", transpose(x, [0, 2, 3, 1]), **settings), [0, 3, 1, 2])
    before = (size - 1) // 2
    pads = np.zeros((rank, 2), np.int32)
    pads[1] = before, size - 1 - before
    squares = apply("Pad", apply("Square", x), pads)
    total: Any = None
    for start in range(size):
        behind = start + 1 - size
        part = cut(squares, 1, start, behind or None)
        total = part if total is None else apply("AddV2", total, part)
    base = scaled(total, alpha / size, bias)
    return apply("Mul", x, apply("Pow", base, number(x, -beta)))


RULES: dict[str, Rule] = {
    "BatchNormalization": _batch_normalization,
    "GroupNormalization": _group_normalization,
    "InstanceNormalization": _instance_normalization,
    "LRN": _lrn,
    "LayerNormalization": _layer_normalization,
    "RMSNormalization": _rms_normalization,
}
