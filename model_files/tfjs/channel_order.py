"""Images with channels first, which TensorFlow.js does not run, as images with channels last."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...graph.node_def import full_input
from ...protos.dtypes import as_dtype
from ...protos.messages import GraphDef, NodeDef
from ...protos.tensor_codec import encode_tensor
from .node_lists import NodeList, lists_of

_FIRST = {b"NCHW": b"NHWC", b"NCDHW": b"NDHWC"}
# Op types whose first input and first result are images.
_OF_IMAGES = (
    *("AvgPool", "AvgPool3D", "BiasAdd", "Conv2D", "Conv3D", "DepthwiseConv2dNative"),
    *("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "MaxPool", "MaxPool3D"),
)
_LISTS = ("strides", "dilations", "ksize")


def write_channels_last(graph_def: GraphDef, shapes: Mapping[str, list[int | None]]) -> list[str]:
    """Transposes images before and behind ops with channels first; returns what it cannot do.

    Args:
        graph_def: the graph, which is changed.
        shapes: the shapes of its tensors, as far as known, by name.
    """
    problems: list[str] = []
    for nodes in lists_of(graph_def):
        made: list[NodeDef] = []
        instead: dict[str, str] = {}
        for node in nodes.nodes:
            stated = node.attr["data_format"].s if "data_format" in node.attr else b""
            if stated not in _FIRST:
                made.append(node)
            elif node.op not in _OF_IMAGES:
                made.append(node)
                problems.append(f"{node.op} ({node.name!r}) with {stated.decode()}")
            else:
                problem = _transposed(node, nodes, made, shapes)
                if problem:
                    problems.append(problem)
                instead[node.name] = nodes.result_of(made[-1])
        nodes.nodes = made
        nodes.rewire(instead)
    return problems


def _transposed(
    node: NodeDef, nodes: NodeList, made: list[NodeDef], shapes: Mapping[str, list[int | None]]
) -> str:
    """Writes a node between two Transposes, the last of which has its name."""
    stated = node.attr["data_format"].s
    rank = len(stated)
    if node.op == "BiasAdd":
        known = shapes.get(full_input(node.input[0]))
        if known is None or nodes.function is not None:
            made.append(node)
            return f"BiasAdd ({node.name!r}) with {stated.decode()} of unknown rank"
        rank = len(known)
    to_last = [0, *range(2, rank), 1]
    to_first = [0, rank - 1, *range(1, rank - 1)]
    name = node.name
    inner = NodeDef()
    inner.CopyFrom(node)
    inner.name = nodes.free(f"{name}/channels_last")
    inner.attr["data_format"].s = _FIRST[stated]
    for key in _LISTS:
        values = list(node.attr[key].list.i) if key in node.attr else []
        if len(values) == rank:
            inner.attr[key].list.i[:] = [values[axis] for axis in to_last]
    pads = list(node.attr["explicit_paddings"].list.i) if "explicit_paddings" in node.attr else []
    if len(pads) == 2 * rank:
        moved = [side for axis in to_last for side in pads[2 * axis : 2 * axis + 2]]
        inner.attr["explicit_paddings"].list.i[:] = moved
    inner.input[0] = _transpose(node, nodes, made, node.input[0], to_last)
    made.append(inner)
    _transpose(node, nodes, made, nodes.result_of(inner), to_first, name)
    return ""


def _transpose(
    node: NodeDef, nodes: NodeList, made: list[NodeDef], text: str, order: list[int], name: str = ""
) -> str:
    """Adds a Transpose of an input; returns its result."""
    int32 = as_dtype("int32")
    constant = NodeDef(name=nodes.free(f"{node.name}/order"), op="Const")
    constant.attr["dtype"].type = int32.as_datatype_enum
    constant.attr["value"].tensor.CopyFrom(encode_tensor(np.array(order, np.int32), int32))
    transpose = NodeDef(name=name or nodes.free(f"{node.name}/Transpose"), op="Transpose")
    transpose.input.extend([text, nodes.result_of(constant)])
    transpose.attr["T"].CopyFrom(node.attr["T"])
    transpose.attr["Tperm"].type = int32.as_datatype_enum
    made += [constant, transpose]
    return nodes.result_of(transpose)
