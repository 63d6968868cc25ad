"""Large weights in few bits, or rounded so that files compress better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...protos.dtypes import float32, quint8
from ...protos.messages import GraphDef, NodeDef
from ...shape_inference.protocols import Array
from .node_table import NodeTable, write_constant

_TINY = 1e-6


def quantize_weights(
    graph_def: GraphDef, outputs: Sequence[str], minimum_size: int = 1024
) -> GraphDef:
    """A graph with float constants in 8 bits, and nodes that make them floats again.

    Args:
        graph_def: the graph.
        outputs: names of nodes that are wanted.
        minimum_size: constants of fewer elements stay as they are.
    """
    table = NodeTable(graph_def, outputs)
    for node, weights in [*_large(table, minimum_size)]:
        low, high = _range(weights)
        step = (high - low) / 255
        steps = np.rint(weights / step) - np.rint(low / step)
        codes = np.clip(steps, 0, 255).astype(np.uint8).view(quint8.numpy_dtype)
        inputs = [
            table.add_constant(f"{node.name}_quantized_const", codes, quint8),
            table.add_constant(f"{node.name}_quantized_min", np.array(low, np.float32), float32),
            table.add_constant(f"{node.name}_quantized_max", np.array(high, np.float32), float32),
        ]
        node.op = "Dequantize"
        node.input[:] = inputs
        node.attr.clear()
        node.attr["T"].type = quint8.as_datatype_enum
        node.attr["mode"].s = b"MIN_FIRST"
    return table.graph_def()


def round_weights(
    graph_def: GraphDef, outputs: Sequence[str], num_steps: int = 256, minimum_size: int = 16
) -> GraphDef:
    """A graph in which each large float constant has few different numbers.

    Args:
        graph_def: the graph.
        outputs: names of nodes that are wanted.
        num_steps: how many numbers.
        minimum_size: constants of fewer elements stay as they are.

    Raises:
        ValueError: `num_steps` is below 2.
    """
    if num_steps < 2:
        raise ValueError(f"num_steps = {num_steps} is below 2")
    table = NodeTable(graph_def, outputs)
    for node, weights in [*_large(table, minimum_size)]:
        low, high = _range(weights)
        step = (high - low) / (num_steps - 1)
        rounded = low + np.rint((weights - low) / step) * step
        write_constant(node, rounded.astype(np.float32), float32)
    return table.graph_def()


def _large(table: NodeTable, minimum_size: int) -> Iterator[tuple[NodeDef, Array]]:
    """The float constants that have many elements, all of them finite."""
    for node in table.nodes.values():
        if node.op == "Const" and node.attr["dtype"].type == float32.as_datatype_enum:
            weights = table.value(node.name)
            if weights is not None and weights.size >= minimum_size and np.isfinite(weights).all():
                yield node, weights.astype(np.float64)


def _range(weights: Array) -> tuple[float, float]:
    """From where to where numbers reach; a single one gets some room."""
    low, high = float(weights.min()), float(weights.max())
    if low < high:
        return low, high
    if abs(low) < _TINY:
        return low, low + 1
    return (low, 2 * low) if low > 0 else (2 * low, low)
