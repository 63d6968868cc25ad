"""Folds constant per-channel ops behind a convolution or product into its filters.

A frozen batch normalization multiplies each channel with a number and adds one. The first becomes
part of the filter that makes the channel, the second stays as one vector.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...protos.dtypes import as_dtype
from ...protos.messages import GraphDef, NodeDef
from ...shape_inference.protocols import Array
from .node_table import NodeTable, without_port

# Products: the rank of what they give.
_PRODUCTS = {"Conv2D": 4, "DepthwiseConv2dNative": 4, "MatMul": 2}
_ADDITIONS = ("Add", "AddV2", "BiasAdd", "Sub")
PLAIN = (*_ADDITIONS, "Mul")
"""Normalizations as arithmetic."""
NORMS = (
    *_ADDITIONS,
    "BatchNormWithGlobalNormalization",
    "FusedBatchNorm",
    "FusedBatchNormV2",
    "FusedBatchNormV3",
)
"""Normalizations as ops of their own."""
_EPSILON = 1e-4
_LARGE = 1e15


class _Line(NamedTuple):
    """`x * factor + offset` for each channel."""

    factor: Array
    offset: Array


class _Product(NamedTuple):
    """A product with constant filters, and where its channels are, from the end."""

    node: NodeDef
    filters: Array
    channels: int
    axis: int


def fold_channels(graph_def: GraphDef, outputs: Sequence[str], kinds: Sequence[str]) -> GraphDef:
    """Folds affine maps behind products into the products.

    A chain ends at a tensor with other readers, or at a wanted one. Factors are multiplied in
    float64, and filters rounded once. Where numbers are not finite, nothing is folded.

    Args:
        graph_def: the graph.
        outputs: names of nodes that are wanted.
        kinds: the op types to fold.
    """
    table = NodeTable(graph_def, outputs)
    for name in [*table.nodes]:
        node = table.nodes.get(name)
        if node is not None and node.op in _PRODUCTS and (product := _product(table, node)):
            with np.errstate(all="ignore"):
                _fold(table, product, kinds)
    return table.graph_def()


def _format_of(node: NodeDef) -> bytes:
    """The data format that a node states; reading by `[]` would add an attr without a value."""
    value = node.attr.get("data_format")
    return b"" if value is None else value.s


def _is_in_training(node: NodeDef) -> bool:
    """Returns True if a fused batch normalization takes the moments of the batch, its default."""
    value = node.attr.get("is_training")
    return node.op.startswith("Fused") and (value is None or value.b)


def _product(table: NodeTable, node: NodeDef) -> _Product | None:
    filters = table.value(node.input[1]) if len(node.input) > 1 else None
    if filters is None or filters.dtype not in (np.float32, np.float64):
        return None
    axis = -3 if _format_of(node) == b"NCHW" else -1
    if node.op == "MatMul":
        channels = filters.shape[0 if node.attr["transpose_b"].b else 1]
    else:
        channels = filters.shape[3] * (filters.shape[2] if "Depthwise" in node.op else 1)
    return _Product(node, filters, channels, axis)


def _fold(table: NodeTable, product: _Product, kinds: Sequence[str]) -> None:
    """Folds the chain behind a product, if there is something to multiply with in it."""
    factor, offset = np.ones(product.channels), np.zeros(product.channels)
    chain, node = [], product.node
    while (reader := table.only_reader(node.name)) is not None and reader.op in kinds:
        line = _line(table, product, node, reader)
        if line is None:
            break
        factor, offset = factor * line.factor, offset * line.factor + line.offset
        chain.append(reader)
        node = reader
    if not (factor != 1).any() or not is_moderate(factor, offset):
        return
    dtype = as_dtype(product.filters.dtype)
    old, last = product.node, chain[-1]
    scaled = (product.filters * _shaped(product, factor)).astype(dtype.numpy_dtype)
    if not np.isfinite(scaled).all():
        return
    # The last of the chain keeps its name, for that is what others read.
    filters = table.add_constant(f"{without_port(old.input[1])}_scaled", scaled, dtype)
    vector = table.add_constant(f"{last.name}_offset", offset.astype(dtype.numpy_dtype), dtype)
    old.input[1] = filters
    for gone in chain[:-1]:
        del table.nodes[gone.name]
    last.op, data_format = "BiasAdd", _format_of(old)
    last.input[:] = [old.name, vector]
    last.attr.clear()
    last.attr["T"].type = dtype.as_datatype_enum
    if data_format:
        last.attr["data_format"].s = data_format


def is_moderate(factor: Array, offset: Array) -> bool:
    """Returns True if factors and offsets are finite, and far from what overflows."""
    with np.errstate(all="ignore"):
        sizes = np.absolute(factor[factor != 0])
        numbers = [*offset, *sizes, *(1 / sizes)]
        return bool(np.absolute(numbers, dtype=float).max(initial=0) < _LARGE)


def _shaped(product: _Product, factor: Array) -> Array:
    """A factor for each channel as one for each filter."""
    if product.node.op == "MatMul" and product.node.attr["transpose_b"].b:
        return factor[:, np.newaxis]
    shape = product.filters.shape
    return factor.reshape(shape[2:]) if "Depthwise" in product.node.op else factor


def _line(table: NodeTable, product: _Product, source: NodeDef, node: NodeDef) -> _Line | None:
    """The affine map that a node applies to each channel of `source`, if it is constant."""
    places = [i for i, text in enumerate(node.input) if without_port(text) == source.name]
    if len(places) != 1 or any(text.startswith("^") for text in node.input):
        return None
    values = [table.value(text) for i, text in enumerate(node.input) if i not in places]
    if any(value is None for value in values):
        return None
    arrays = [np.asarray(value, np.float64) for value in values]
    if node.op in _NORMALIZATIONS:
        right_place = places == [0] and all(array.shape == (product.channels,) for array in arrays)
        format_fits = _format_of(node) != b"NCHW" or product.axis == -3
        fits = right_place and format_fits and not _is_in_training(node)
        return _NORMALIZATIONS[node.op](node, arrays) if fits else None
    vector = _vector(arrays[0], product, is_vector=node.op == "BiasAdd")
    if vector is None:
        return None
    ones, zeros = np.ones(product.channels), np.zeros(product.channels)
    if node.op == "Mul":
        return _Line(vector, zeros)
    if node.op != "Sub":
        return _Line(ones, vector)
    return _Line(ones, -vector) if places == [0] else _Line(-ones, vector)


def _vector(array: Array, product: _Product, *, is_vector: bool) -> Array | None:
    """An array as a number for each channel, if it differs along no other axis."""
    if is_vector:
        return array if array.shape == (product.channels,) else None
    rank = _PRODUCTS[product.node.op]
    if array.ndim > rank:
        return None
    sizes = [*(1,) * (rank - array.ndim), *array.shape]
    length = sizes.pop(product.axis)
    if any(size != 1 for size in sizes) or length not in (1, product.channels):
        return None
    return np.broadcast_to(array.reshape(-1), (product.channels,))


def _fused(node: NodeDef, arrays: Sequence[Array]) -> _Line:
    scale, offset, mean, variance = arrays
    epsilon = node.attr["epsilon"].f if "epsilon" in node.attr else _EPSILON
    factor = scale / np.sqrt(variance + epsilon)
    return _Line(factor, offset - mean * factor)


def _older(node: NodeDef, arrays: Sequence[Array]) -> _Line:
    mean, variance, beta, gamma = arrays
    factor = 1 / np.sqrt(variance + node.attr["variance_epsilon"].f)
    if node.attr["scale_after_normalization"].b:
        factor = factor * gamma
    return _Line(factor, beta - mean * factor)


_NORMALIZATIONS: dict[str, Callable[[NodeDef, Sequence[Array]], _Line]] = {
    "BatchNormWithGlobalNormalization": _older,
    "FusedBatchNorm": _fused,
    "FusedBatchNormV2": _fused,
    "FusedBatchNormV3": _fused,
}
