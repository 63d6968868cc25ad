"""Graph files: written whole or not at all, read with an error that says what is wrong."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from google.protobuf import message as protobuf_message

from ..protos.messages import GraphDef
from . import errors
from .export import as_graph_def
from .graph import Graph
from .importer import import_whole

if TYPE_CHECKING:
    from os import PathLike

_TEXT_SUFFIXES = (".pbtxt", ".txt", ".textproto")
_MOST_BYTES = 2**31 - 1


def save_graph(graph: Graph | GraphDef, path: str | PathLike[str]) -> str:
    """Writes a graph to a file that TensorFlow and tensordraft read.

    The file is complete or absent: it is written under another name and moved into place. The
    same graph always gives the same bytes.

    Args:
        graph: a Graph or a GraphDef.
        path: where to; text form if it ends in `.pbtxt`, else binary.

    Returns:
        The path.

    Raises:
        ValueError: the message is larger than 2 GiB, the most that protobuf can write.
        OSError: the file cannot be written.

    Example:
        >>> import os, tempfile
        >>> import tensordraft as td
        >>> with td.Graph().as_default() as graph:
        ...     y = td.constant([1, 2], name="y")
        >>> path = os.path.join(tempfile.mkdtemp(), "graph.pb")
        >>> copy = td.load_graph(td.save_graph(graph, path))
        >>> copy.get_tensor_by_name("y:0").shape.as_list()
        [2]
    """
    path = os.fspath(path)
    return _write(path, _encoded(graph, as_text=path.endswith(_TEXT_SUFFIXES)))


def write_graph(
    graph_or_graph_def: Graph | GraphDef,
    logdir: str | PathLike[str],
    name: str,
    as_text: bool = True,
) -> str:
    """Writes a graph to the file `name` in the folder `logdir`, as TensorFlow's function does.

    Args:
        graph_or_graph_def: a Graph or a GraphDef.
        logdir: the folder; made if it is not there.
        name: the name of the file.
        as_text: whether to write the text form.

    Returns:
        The path.

    Raises:
        ValueError, OSError: as `save_graph`.
    """
    folder = os.fspath(logdir)
    os.makedirs(folder, exist_ok=True)
    return _write(os.path.join(folder, name), _encoded(graph_or_graph_def, as_text=as_text))


def load_graph(path: str | PathLike[str]) -> Graph:
    """Reads a graph from a file: a GraphDef that TensorFlow or tensordraft wrote.

    Ops of types that are not registered are loaded, too: they can be looked at and saved, and only
    running them is an error.

    Args:
        path: the file; text form if it ends in `.pbtxt`, else binary.

    Returns:
        A new Graph.

    Raises:
        NotFoundError: there is no such file.
        DataLossError: the file is no GraphDef.
        ValueError: a node is malformed, or does not fit its inputs.
    """
    return import_whole(load_graph_def(path))


def load_graph_def(path: str | PathLike[str]) -> GraphDef:
    """Reads a GraphDef message from a file.

    Args:
        path: the file; text form if it ends in `.pbtxt`, else binary.

    Raises:
        NotFoundError: there is no such file.
        DataLossError: the file is no GraphDef.
    """
    path = os.fspath(path)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        raise errors.NotFoundError(None, None, f"there is no file {path!r}") from None
    return parse_graph_def(data, path, as_text=path.endswith(_TEXT_SUFFIXES))


def parse_graph_def(data: bytes, source: str = "the data", *, as_text: bool = False) -> GraphDef:
    """The GraphDef that `data` holds.

    Args:
        data: the message in binary or text form.
        source: what to call the data in an error.
        as_text: whether it is the text form.

    Raises:
        DataLossError: it is no GraphDef.
    """
    try:
        return _from_text(data) if as_text else GraphDef.FromString(data)
    except (ValueError, RecursionError, protobuf_message.DecodeError) as error:
        raise errors.DataLossError(None, None, f"{source} is not a GraphDef: {error}") from error


def _from_text(data: bytes) -> GraphDef:
    from google.protobuf import text_format

    try:
        return text_format.Parse(data.decode(), GraphDef())
    except text_format.ParseError as error:
        raise ValueError(str(error)) from error


def _encoded(graph: Graph | GraphDef, *, as_text: bool) -> bytes:
    graph_def = as_graph_def(graph) if isinstance(graph, Graph) else graph
    if as_text:
        from google.protobuf import text_format

        return text_format.MessageToString(graph_def).encode()
    size = graph_def.ByteSize()
    if size > _MOST_BYTES:
        raise ValueError(f"the graph takes {size} bytes; protobuf can write at most {_MOST_BYTES}")
    return graph_def.SerializeToString(deterministic=True)


def _write(path: str, data: bytes) -> str:
    temporary = f"{path}.{os.getpid()}.part"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise
    return path
