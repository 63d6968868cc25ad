"""Reader of TensorFlow Lite files: a frozen graph of TensorFlow's ops, with signatures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from io import BufferedIOBase

import numpy as np

from ...formats.file_kinds import Kind
from ...formats.model_files import ModelFile
from ...formats.progress import Progress
from ...graph.graph import Graph
from ...graph.node import Tensor
from ...protos.messages import GraphDef, MetaGraphDef, TensorProto
from ...protos.shape_codec import encode_shape
from ...protos.tensor_codec import TensorValue
from ...runtime import errors
from ...runtime.load_budget import ask, reported_to
from ...saving.checkpoints.signatures import Signature, signature_def
from ...saving.saved_model import saved_model_constants as constants
from .builder import Builder, legal_name
from .call import apply
from .contents import Contents, SignatureInfo, read_contents
from .flatbuffer import MalformedError
from .op_table import rule_of

_METHOD = "tensorflow/serving/predict"
_MOST_NAMED = 20


def read_tflite(
    file: BufferedIOBase, path: str, progress: Progress | None = None, *, apart: bool = True
) -> ModelFile:
    """Reads a TensorFlow Lite model.

    Quantized tensors stay the integers that they are: inputs and outputs are those that the file
    states. Weights that only are quantized, or of float16, are constants of these types, with ops
    that make floats of them.

    Args:
        file: the file.
        path: its name, for errors.
        progress: called with the number of ops.
        apart: whether the content of large constants may be beside the graph.

    Raises:
        DataLossError: the file is malformed.
        UnimplementedError: ops in it are not supported; all of them are named.
        ResourceExhaustedError: it takes more than the budget allows.
    """
    try:
        contents = read_contents(_data(file, path))
        _check_supported(contents, path)
        ops = sum(len(subgraph.ops) for subgraph in contents.subgraphs)
        report = reported_to(progress)
        if report is not None:
            report("nodes", 0, ops)
        with Graph().as_default() as graph:
            builder = Builder(contents, graph)
            signatures = _signatures(contents)
            meta_graph = _with_signatures(builder, signatures)
    except MalformedError as error:
        message = f"{path} is damaged, or no TensorFlow Lite model: {error}"
        raise errors.DataLossError(None, None, message) from error
    graph_def, beside = _exported(builder, apart)
    order = {name: (list(ends.inputs), list(ends.outputs)) for name, ends in signatures.items()}
    return ModelFile("", Kind.TFLITE, graph_def, meta_graph, beside, order)


def _data(file: BufferedIOBase, path: str) -> memoryview:
    size = file.seek(0, 2)
    ask(size, f"the file {path!r}")
    data = np.empty(size, np.uint8)  # aligned, unlike bytes
    file.seek(0)
    if file.readinto(data.data) < size:
        raise MalformedError("it has become shorter while it was read")
    data.flags.writeable = False
    return data.data


def _check_supported(contents: Contents, path: str) -> None:
    """Refuses a file with ops that are not supported.

    Raises:
        UnimplementedError: there are some; all are named.
    """
    missing = Counter(
        f"{op.type} (custom)" if op.is_custom else op.type
        for subgraph in contents.subgraphs
        for op in subgraph.ops
        if rule_of(op) is None
    )
    if missing:
        named = ", ".join(f"{name} ×{count}" for name, count in missing.most_common(_MOST_NAMED))
        more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
        message = f"{path} has ops of TensorFlow Lite that are not supported: {named}{more}"
        raise errors.UnimplementedError(None, None, message)


def _signatures(contents: Contents) -> dict[str, SignatureInfo]:
    """The signatures of a file, among them one of the main subgraph."""
    signatures = contents.signatures
    if all(signature.subgraph for signature in signatures.values()):
        signatures = {constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: _stated(contents), **signatures}
    return signatures


def _with_signatures(builder: Builder, signatures: Mapping[str, SignatureInfo]) -> MetaGraphDef:
    """Builds the subgraphs of all signatures, and the meta graph that names their ends."""
    meta_graph = MetaGraphDef()
    meta_graph.meta_info_def.tags.append(constants.SERVING)
    built: dict[int, tuple[dict[int, Tensor], dict[int, Tensor]]] = {}
    for name, signature in signatures.items():
        number = signature.subgraph
        if number not in built:
            built[number] = _built(builder, number)
        inputs, values = built[number]
        missing = [index for index in signature.inputs.values() if index not in inputs]
        if missing or any(index not in values for index in signature.outputs.values()):
            raise MalformedError(f"the signature {name!r} names tensors that are not computed")
        message = signature_def(
            Signature(
                {key: inputs[index] for key, index in signature.inputs.items()},
                {key: values[index] for key, index in signature.outputs.items()},
                _METHOD,
            )
        )
        meta_graph.signature_def[name].CopyFrom(message)
    _rename_ends(meta_graph, builder.renames)
    if builder.state.initializers:
        with builder.graph.control_dependencies(builder.state.initializers):
            init = apply("NoOp", name=builder.graph.unique_name("init"))
        meta_graph.collection_def[constants.MAIN_OP_KEY].node_list.value.append(init.name)
    return meta_graph


def _built(builder: Builder, number: int) -> tuple[dict[int, Tensor], dict[int, Tensor]]:
    """Builds a subgraph: its inputs, and the values of its outputs, by number."""
    subgraph = builder.contents.subgraphs[number]
    inputs = builder.placeholders(number)
    values = dict(inputs)
    builder.run(number, values)
    results = builder.results(subgraph, values)
    settled = builder.state.settled(results)
    builder.state.take_effects()
    return inputs, dict(zip(subgraph.outputs, settled, strict=True))


def _stated(contents: Contents) -> SignatureInfo:
    """The signature of the main subgraph, by the names of its tensors."""
    subgraph = contents.subgraphs[0]
    ends = []
    for numbers in (subgraph.inputs, subgraph.outputs):
        named: dict[str, int] = {}
        for number in numbers:
            name = base = legal_name(subgraph.tensors[number].name)
            count = 0
            while name in named and named[name] != number:
                count += 1
                name = f"{base}_{count}"
            named[name] = number
        ends.append(named)
    return SignatureInfo(0, *ends)


def _rename_ends(meta_graph: MetaGraphDef, renames: Mapping[str, str]) -> None:
    for signature in meta_graph.signature_def.values():
        for info in (*signature.inputs.values(), *signature.outputs.values()):
            name, colon, index = info.name.partition(":")
            info.name = f"{renames.get(name, name)}{colon}{index}"


def _exported(builder: Builder, apart: bool) -> tuple[GraphDef, dict[str, memoryview]]:
    """The message of the graph, and the content of its large constants."""
    graph, beside = builder.graph, {}
    if apart:
        for name, value in builder.contents_of.items():
            op = graph.get_operation_by_name(name)
            beside[name] = value.array.reshape(-1).view(np.uint8).data
            proto = TensorProto(dtype=value.dtype.as_datatype_enum)
            proto.tensor_shape.CopyFrom(encode_shape(value.shape))
            op.attrs = {**op.attrs, "value": TensorValue.from_proto(proto, shared=True)}
    graph_def = graph.as_graph_def()
    renames = builder.renames
    for node in graph_def.node:
        node.name = renames.get(node.name, node.name)
        for place, text in enumerate(node.input):
            name, colon, index = text.removeprefix("^").partition(":")
            if name in renames:
                control = "^" if text.startswith("^") else ""
                node.input[place] = f"{control}{renames[name]}{colon}{index}"
    return graph_def, beside
