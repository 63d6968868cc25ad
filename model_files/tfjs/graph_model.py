"""Graph models of TensorFlow.js: a GraphDef whose constants are weights in files."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from ...formats.file_kinds import Kind
from ...formats.large_constants import LARGE
from ...formats.model_files import ModelFile
from ...graph.export import PRODUCER
from ...graph.node_def import source_name
from ...protos.dtypes import DType, as_dtype
from ...protos.messages import GraphDef, MetaGraphDef, NodeDef, SignatureDef
from ...protos.tensor_util import make_tensor_proto
from ...runtime import errors
from .fused_ops import write_plain
from .graph_json import parse_graph, parse_signature
from .initializers import merge_initializer
from .json_files import damaged, member, objects
from .looser_dtypes import with_dtypes
from .node_lists import with_legal_names
from .weights import Array

_RESOURCE, _VARIANT, _STRING = 20, 21, 7
_INPUTS = ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault")
_NOT_OUTPUTS = (*_INPUTS, "Const", "NoOp")


def graph_model(
    model: dict[str, Any], weights: Mapping[str, Array], path: str, *, apart: bool
) -> ModelFile:
    """The graph of a graph model, with its weights as constants.

    Args:
        model: the object of the file.
        weights: the weights by name.
        path: the file, for errors.
        apart: whether the content of large constants may be beside the graph.

    Raises:
        DataLossError: it is malformed, or a weight is missing.
        UnimplementedError: it has fused ops that are not supported; all are named.
    """
    graph_def = parse_graph(member(model, "modelTopology", dict, "it", path), "its graph", path)
    if not graph_def.node:
        damaged(path, "its graph has no nodes")
    stated = _signature(model)
    signature = parse_signature(stated, "its signature", path)
    aliases: dict[str, str] = {}
    initializer = member(model, "modelInitializer", dict, "it", path)
    if initializer:
        filling = parse_graph(initializer, "its modelInitializer", path)
        _check_names(filling, path)
        handles = _handles(model, stated, filling, path)
        _check_names(graph_def, path)
        aliases = merge_initializer(graph_def, filling, handles)
        there = {function.signature.name for function in graph_def.library.function}
        graph_def.library.function.extend(
            function
            for function in filling.library.function
            if function.signature.name not in there
        )
    _check_names(graph_def, path)
    contents = _with_weights(graph_def, _renamed(weights, aliases), path, apart=apart)
    with_legal_names(graph_def)
    problems = write_plain(graph_def)
    if problems:
        message = f"{path} has ops that are not supported: {'; '.join(problems)}"
        raise errors.UnimplementedError(None, None, message)
    with_dtypes(graph_def)
    if not graph_def.versions.producer:
        graph_def.versions.producer = PRODUCER
    completed = _completed(signature, graph_def, path)
    meta_graph = MetaGraphDef()
    meta_graph.signature_def["serving_default"].CopyFrom(completed)
    ends = (("inputs", completed.inputs), ("outputs", completed.outputs))
    inputs, outputs = (_in_order(kept, stated.get(key), graph_def) for key, kept in ends)
    order = {"serving_default": (inputs, outputs)}
    return ModelFile(path, Kind.TFJS, graph_def, meta_graph, contents, order)


def _signature(model: dict[str, Any]) -> dict[str, Any]:
    """The signature as the file states it, where versions of the converter have put it."""
    metadata = model.get("userDefinedMetadata")
    inner = metadata.get("signature") if isinstance(metadata, dict) else None
    for candidate in (model.get("signature"), inner):
        if isinstance(candidate, dict) and candidate:
            return candidate
    return {}


def _handles(
    model: dict[str, Any], signature: dict[str, Any], filling: GraphDef, path: str
) -> dict[str, str]:
    """The nodes of tables in the initializer, by the placeholders that stand for them."""
    stated = member(model, "initializerSignature", dict, "it", path)
    infos = member(stated, "outputs", dict, "its initializerSignature", path)
    there = {node.name for node in filling.node}
    outputs: dict[Any, str] = {}
    for info in objects(list(infos.values()), "an output of initializerSignature", path):
        number, name = info.get("resourceId"), info.get("name")
        if isinstance(number, (int, str)) and isinstance(name, str):
            outputs[str(number)] = source_name(name)
    handles = {}
    inputs = member(signature, "inputs", dict, "its signature", path)
    for info in objects(list(inputs.values()), "an input of its signature", path):
        table, name = outputs.get(str(info.get("resourceId"))), info.get("name")
        if table in there and isinstance(name, str):
            handles[source_name(name)] = str(table)
    return handles


def _check_names(graph_def: GraphDef, path: str) -> None:
    bodies = [graph_def.node, *(function.node_def for function in graph_def.library.function)]
    for nodes in bodies:
        names: set[str] = set()
        for node in nodes:
            if node.name in names:
                damaged(path, f"two of its nodes are named {node.name!r}")
            names.add(node.name)


def _renamed(weights: Mapping[str, Array], aliases: Mapping[str, str]) -> Mapping[str, Array]:
    moved = {aliases[name]: array for name, array in weights.items() if name in aliases}
    return {**weights, **moved}


def _with_weights(
    graph_def: GraphDef, weights: Mapping[str, Array], path: str, *, apart: bool
) -> dict[str, memoryview]:
    """Gives constants their weights; returns the contents that are kept beside the graph."""
    contents: dict[str, memoryview] = {}
    missing: list[str] = []
    for node in graph_def.node:
        if node.op == "Const":
            content = _fill(node, weights, missing, path, apart=apart)
            if content is not None:
                contents[node.name] = content
    for function in graph_def.library.function:
        for node in function.node_def:
            if node.op == "Const":
                _fill(node, weights, missing, path, apart=False)
    if missing:
        more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""
        damaged(path, f"it has no weights for the constants {', '.join(missing[:8])}{more}")
    return contents


def _fill(
    node: NodeDef, weights: Mapping[str, Array], missing: list[str], path: str, *, apart: bool
) -> memoryview | None:
    """Gives one constant its weight; returns the content, if it is kept beside the graph."""
    array = weights.get(node.name)
    tensor = node.attr["value"].tensor
    if array is None:
        elements = math.prod(dim.size for dim in tensor.tensor_shape.dim)
        fields = {field.name for field, _ in tensor.ListFields()}
        if elements and not fields - {"dtype", "tensor_shape", "version_number"}:
            missing.append(node.name)
        return None
    dtype = _dtype_of(node, array, path)
    node.attr["dtype"].type = dtype.as_datatype_enum
    if dtype.name != "string":
        with np.errstate(all="ignore"):
            array = array.astype(dtype.numpy_dtype, order="C", copy=False)
    if not apart or dtype.name == "string" or array.nbytes < LARGE:
        tensor.CopyFrom(make_tensor_proto(array, dtype, array.shape))
        return None
    tensor.Clear()
    tensor.dtype = dtype.as_datatype_enum
    for size in array.shape:
        tensor.tensor_shape.dim.add().size = size
    content = array.reshape(-1).view(np.uint8)
    content.flags.writeable = False
    return content.data


def _dtype_of(node: NodeDef, array: Array, path: str) -> DType:
    """The dtype of a constant: what its node states, unless that would lose what the file has."""
    own = as_dtype("string") if array.dtype == object else as_dtype(array.dtype)
    number = node.attr["dtype"].type or node.attr["value"].tensor.dtype
    try:
        stated = as_dtype(number) if number else own
    except TypeError:
        stated = own
    if (stated.name == "string") != (own.name == "string"):
        damaged(path, f"the constant {node.name!r} is of {stated.name}, its weight of {own.name}")
    kinds = "biufc"
    is_number = own.name == "string" or np.dtype(stated.numpy_dtype).kind in kinds
    if number in (_RESOURCE, _VARIANT) or stated.is_ref_dtype or not is_number:
        damaged(path, f"the constant {node.name!r} is of {stated.name}, its weight of {own.name}")
    if own.is_floating and not (stated.is_floating or stated.is_complex):
        return own
    return own if own.is_complex and not stated.is_complex else stated


def _completed(signature: SignatureDef, graph_def: GraphDef, path: str) -> SignatureDef:
    """A signature for the inputs and outputs that the graph has.

    As in TensorFlow.js, without one the inputs are the placeholders, and the outputs the nodes that
    no other reads.
    """
    result = SignatureDef(method_name="tensorflow/serving/predict")
    nodes = {node.name: node for node in graph_def.node}
    for ends, kept in ((signature.inputs, result.inputs), (signature.outputs, result.outputs)):
        for key, info in ends.items():
            node = nodes.get(source_name(info.name))
            if node is None or info.dtype in (_RESOURCE, _VARIANT):
                continue
            kept[key].name = info.name
            if ends is signature.inputs and info.HasField("tensor_shape"):
                _state_shape(node, info)
    if not result.inputs:
        for node in graph_def.node:
            if node.op in _INPUTS[:2] and node.attr["dtype"].type != _RESOURCE:
                result.inputs[node.name].name = f"{node.name}:0"
    if not result.outputs:
        read = {source_name(text) for node in graph_def.node for text in node.input}
        for node in graph_def.node:
            if node.name not in read and node.op not in _NOT_OUTPUTS:
                result.outputs[node.name].name = f"{node.name}:0"
    if not result.outputs:
        damaged(path, "its graph has no outputs")
    return result


def _in_order(
    kept: Container[str], stated: dict[str, Any] | None, graph_def: GraphDef
) -> list[str]:
    """The names of inputs or outputs in the order of the signature, or else of the nodes."""
    names = dict.fromkeys([*(stated or ()), *(node.name for node in graph_def.node)])
    return [name for name in names if name in kept]


def _state_shape(node: NodeDef, info: Any) -> None:
    """Gives a placeholder that states no shape that of the signature."""
    shape = node.attr["shape"].shape if "shape" in node.attr else None
    if node.op in _INPUTS and (shape is None or shape.unknown_rank):
        node.attr["shape"].shape.CopyFrom(info.tensor_shape)
