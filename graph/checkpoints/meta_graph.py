"""MetaGraphDefs: a graph with its collections and signatures."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from ...protos.dtypes import as_dtype
from ...protos.messages import CollectionDef, MetaGraphDef, SignatureDef
from ...shape_inference.tensor_shape import TensorShape
from ..default_graph import get_default_graph
from ..files.message_files import parse_message, read_file, write_message
from ..importing.importer import import_under
from ..node import Operation, Tensor
from ..registry import find
from ..scopes.collections import proto_functions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from google.protobuf.message import Message

    from ...protos.messages import GraphDef, TensorInfo
    from ..graph import Graph
    from ..importing.renaming import Renaming

public = {
    "td": "import_meta_graph",
    "td, td.train": "export_meta_graph",
}

_META_GRAPH_VERSION = "tensordraft"


class Signature(NamedTuple):
    """What a graph offers: tensors to feed, tensors and ops to fetch, by the names of a caller."""

    inputs: dict[str, Tensor | Operation]
    outputs: dict[str, Tensor | Operation]
    method_name: str = ""


def export_meta_graph(
    filename: str | os.PathLike[str] | None = None,
    graph: Graph | None = None,
    collection_list: Iterable[str] | None = None,
    signatures: Mapping[str, Signature] | None = None,
    tags: Iterable[str] = (),
    as_text: bool = False,
    strip_default_attrs: bool = False,
    clear_devices: bool = False,
    graph_def: GraphDef | None = None,
) -> MetaGraphDef:
    """A graph with its collections and signatures as a MetaGraphDef message.

    Of the collections, those are written whose items are all tensors and ops, ints, floats, or
    strings; as in TensorFlow, where others are left out with a warning.

    Args:
        filename: a file to write it to, too.
        graph: the graph; by default the default graph.
        collection_list: names of the collections to write; by default all.
        signatures: what the graph offers, by name.
        tags: words by which a reader chooses among several meta graphs.
        as_text: whether to write the file in text form.
        strip_default_attrs: whether to leave out attrs that hold their default.
        clear_devices: whether to leave out the devices of the nodes.
        graph_def: the graph as a message, to be written in the place of that of `graph`.

    Returns:
        The message.

    Raises:
        ValueError: the message is larger than 2 GiB.
        OSError: the file cannot be written.

    Example:
        >>> import tensordraft as td
        >>> from tensordraft.graph.checkpoints.meta_graph import export_meta_graph
        >>> with td.Graph().as_default() as graph:
        ...     x = td.placeholder(td.float32, [2], name="x")
        ...     graph.add_to_collection("ends", x)
        >>> export_meta_graph(graph=graph).collection_def["ends"].node_list.value
        ['x:0']
    """
    graph = graph or get_default_graph()
    if graph_def is None:
        graph_def = graph.as_graph_def(strip_default_attrs=strip_default_attrs)
    if clear_devices:
        graph_def = _without_devices(graph_def)
    message = MetaGraphDef(graph_def=graph_def)
    info = message.meta_info_def
    info.meta_graph_version = _META_GRAPH_VERSION
    info.stripped_default_attrs = strip_default_attrs
    info.tags.extend(tags)
    for op_type in sorted({op.type for op in graph.get_operations()}):
        definition = find(op_type)
        if definition is not None:
            info.stripped_op_list.op.add().CopyFrom(definition.to_proto())
    keys = graph.get_all_collection_keys() if collection_list is None else collection_list
    for key in keys:
        collection = _written(key, graph.get_collection(key))
        if isinstance(key, str) and collection is not None:
            message.collection_def[key].CopyFrom(collection)
    for name, signature in (signatures or {}).items():
        message.signature_def[name].CopyFrom(signature_def(signature))
    if filename is not None:
        write_message(message, os.fspath(filename), as_text=as_text)
    return message


def import_meta_graph(
    meta_graph_or_file: MetaGraphDef | str | os.PathLike[str],
    clear_devices: bool = False,
    import_scope: str | None = None,
) -> MetaGraphDef:
    """Adds the graph of a MetaGraphDef and its collections to the default graph.

    Args:
        meta_graph_or_file: the message, or a file that holds one: `.meta`, or text form.
        clear_devices: whether to forget the devices of the nodes.
        import_scope: the scope under which the nodes are put; by default none.

    Returns:
        The message; `read_signatures` finds its signatures in the graph.

    Raises:
        NotFoundError: there is no such file.
        DataLossError: the file is no MetaGraphDef.
        ValueError: the graph is malformed, or a collection names something that is not in it.

    Example:
        >>> import tensordraft as td
        >>> from tensordraft.graph.checkpoints.meta_graph import (
        ...     export_meta_graph,
        ...     import_meta_graph,
        ... )
        >>> with td.Graph().as_default() as graph:
        ...     graph.add_to_collection("ends", td.placeholder(td.float32, [2], name="x"))
        >>> with td.Graph().as_default() as copy:
        ...     message = import_meta_graph(export_meta_graph(graph=graph))
        >>> copy.get_collection("ends")
        [<td.Tensor 'x:0' shape=(2,) dtype=float32>]
    """
    return import_with_names(meta_graph_or_file, clear_devices, import_scope)[0]


def import_with_names(
    meta_graph_or_file: MetaGraphDef | str | os.PathLike[str],
    clear_devices: bool,
    import_scope: str | None,
) -> tuple[MetaGraphDef, Renaming]:
    """Does as `import_meta_graph`, and tells what the nodes are called in the graph."""
    if isinstance(meta_graph_or_file, MetaGraphDef):
        message = meta_graph_or_file
    else:
        path = os.fspath(meta_graph_or_file)
        message = parse_message(MetaGraphDef, read_file(path), path)
    graph_def = message.graph_def
    if clear_devices:
        graph_def = _without_devices(graph_def)
    graph = get_default_graph()
    op_list = message.meta_info_def.stripped_op_list
    with graph.editing():
        start = graph.version
        _, names = import_under(import_scope or "", graph_def, op_list)
        try:
            items = {
                key: list(_read(graph, message.collection_def[key], names, key))
                for key in sorted(message.collection_def)
            }
        except ValueError:
            graph.truncate(start)
            raise
    for key, values in items.items():
        for value in values:
            graph.add_to_collection(key, value)
    return message, names


def read_signatures(
    graph: Graph, message: MetaGraphDef, import_scope: str = ""
) -> dict[str, Signature]:
    """The signatures of a MetaGraphDef, in terms of the graph that it was imported to.

    Args:
        graph: the graph.
        message: the message.
        import_scope: the scope that it was imported under.

    Raises:
        ValueError: a signature names a tensor that is not in the graph, or not of its dtype.
    """
    scope = f"{import_scope.rstrip('/')}/" if import_scope else ""
    return {
        name: Signature(
            _tensors(graph, definition.inputs, scope, name),
            _tensors(graph, definition.outputs, scope, name),
            definition.method_name,
        )
        for name, definition in sorted(message.signature_def.items())
    }


def signature_def(signature: Signature) -> SignatureDef:
    """A signature as a message."""
    message = SignatureDef(method_name=signature.method_name)
    for tensors, infos in (
        (signature.inputs, message.inputs),
        (signature.outputs, message.outputs),
    ):
        for name, element in tensors.items():
            info = infos[name]
            info.name = element.name
            if isinstance(element, Tensor):
                info.dtype = element.dtype.as_datatype_enum
                info.tensor_shape.CopyFrom(element.shape.as_proto())
    return message


def _tensors(
    graph: Graph, infos: Mapping[str, TensorInfo], scope: str, name: str
) -> dict[str, Tensor | Operation]:
    tensors: dict[str, Tensor | Operation] = {}
    for key, info in sorted(infos.items()):
        if info.WhichOneof("encoding") == "coo_sparse":
            raise ValueError(f"the signature {name!r} has a sparse tensor {key!r}")
        try:
            tensor = tensors[key] = graph.as_graph_element(scope + info.name)
        except (KeyError, ValueError) as error:
            raise ValueError(f"the signature {name!r} has {key!r}: {error.args[0]}") from None
        if isinstance(tensor, Operation):
            continue
        if info.dtype and tensor.dtype.base_dtype.as_datatype_enum != info.dtype:
            raise ValueError(
                f"the signature {name!r} states dtype {_dtype_name(info.dtype)} for {key!r}, "
                f"which is {tensor.dtype.name}"
            )
        shape = TensorShape(info.tensor_shape) if info.HasField("tensor_shape") else None
        if shape is not None and not tensor.shape.is_compatible_with(shape):
            raise ValueError(
                f"the signature {name!r} states shape {shape} for {key!r}, which is {tensor.shape}"
            )
    return tensors


def _dtype_name(number: int) -> str:
    try:
        return as_dtype(number).name
    except TypeError:
        return str(number)


def _written(key: str, items: list[Any]) -> CollectionDef | None:
    """The items of a collection as a message, if they are all of one kind."""
    collection = CollectionDef()
    functions = proto_functions(key)
    if functions is not None:
        messages = [functions.to_proto(item) for item in items]
        collection.bytes_list.value.extend([message.SerializeToString() for message in messages])
    elif all(isinstance(item, (Tensor, Operation)) for item in items):
        collection.node_list.value.extend([item.name for item in items])
    elif all(isinstance(item, (str, bytes)) for item in items):
        texts = [item.encode() if isinstance(item, str) else item for item in items]
        collection.bytes_list.value.extend(texts)
    elif all(isinstance(item, int) and -(2**63) <= item < 2**63 for item in items):
        collection.int64_list.value.extend(items)
    elif all(isinstance(item, float) for item in items):
        collection.float_list.value.extend(items)
    else:
        return None
    return collection


def _read(graph: Graph, collection: CollectionDef, names: Renaming, key: str) -> Iterable[Any]:
    """The items of a collection; those of a kind that is not known here are left out."""
    kind = collection.WhichOneof("kind")
    if kind == "node_list":
        for name in collection.node_list.value:
            try:
                yield graph.as_graph_element(names.scope + names.inside(name))
            except (KeyError, ValueError) as error:
                raise ValueError(f"the collection {key!r}: {error.args[0]}") from None
    elif kind == "int64_list":
        yield from collection.int64_list.value
    elif kind == "float_list":
        yield from collection.float_list.value
    elif kind == "bytes_list" and (functions := proto_functions(key)) is not None:
        for data in collection.bytes_list.value:
            message = parse_message(functions.proto_type, data, f"the collection {key!r}")
            _rename(message, names)
            try:
                yield functions.from_proto(message, names.scope)
            except (KeyError, ValueError) as error:
                raise ValueError(f"the collection {key!r}: {error.args[0]}") from None
    elif kind == "bytes_list" and key not in _OF_MESSAGES:
        yield from collection.bytes_list.value


def _rename(message: Message, names: Renaming) -> None:
    """Writes in the message of an item what its ops are called in the graph, below the scope."""
    for field, value in message.ListFields():
        if not field.name.endswith("_name") or field.type != field.TYPE_STRING:
            continue
        if isinstance(value, str):
            setattr(message, field.name, names.inside(value))
        else:
            value[:] = [names.inside(item) for item in value]


# Collections that TensorFlow writes as serialized messages of kinds that only it reads.
_OF_MESSAGES = (
    "cond_context",
    "while_context",
    "queue_runners",
    "savers",
)


def _without_devices(graph_def: GraphDef) -> GraphDef:
    result = type(graph_def)()
    result.CopyFrom(graph_def)
    for node in result.node:
        node.ClearField("device")
    return result
