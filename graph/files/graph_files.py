"""Graph files: written whole or not at all, read with an error that says what is wrong."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from google.protobuf import message as protobuf_message
from google.protobuf.message import Message

from ...protos.messages import GraphDef
from .. import errors
from ..describe import whereabouts
from ..graph import Graph
from ..importing.importer import import_whole
from .large_constants import read_apart
from .replacement import replacing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader
    from os import PathLike

    from ..importing.progress import Progress

public = {
    "td": "load_graph save_graph",
    "td, td.train": "write_graph",
}

_TEXT_SUFFIXES = (".pbtxt", ".txt", ".textproto")
_MOST_BYTES = (1 << 31) - 1
_WORTH_A_LOOK = 1 << 24  # bytes of a file: what can be won in a smaller one is too little

AnyMessage = TypeVar("AnyMessage", bound=Message)


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
        ValueError: the message is larger than 2 GiB, the most that protobuf can read.
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
    return write_message(_as_message(graph), path, as_text=path.endswith(_TEXT_SUFFIXES))


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

    Example:
        >>> import os, tempfile
        >>> import tensordraft as td
        >>> with td.Graph().as_default() as graph:
        ...     x = td.constant(1, name="x")
        >>> path = td.write_graph(graph, tempfile.mkdtemp(), "graph.pbtxt")
        >>> td.load_graph(path).get_operations()
        [<td.Operation 'x' type=Const>]
    """
    folder = os.fspath(logdir)
    os.makedirs(folder, exist_ok=True)
    return write_message(
        _as_message(graph_or_graph_def), os.path.join(folder, name), as_text=as_text
    )


def load_graph(path: str | PathLike[str], progress: Progress | None = None) -> Graph:
    """Reads a graph from a file: a GraphDef that TensorFlow or tensordraft wrote.

    Ops of types that are not registered are loaded, too: they can be looked at and saved, and only
    running them is an error. Large constants are never copied: their arrays are views of the bytes
    that were read, and are made when they are first asked for.

    Args:
        path: the file; text form if it ends in `.pbtxt`, else binary.
        progress: called now and then as `progress(what, done, total)`, where `what` is "bytes" or
            "nodes"; by default nobody is told.

    Returns:
        A new Graph.

    Raises:
        NotFoundError: there is no such file.
        DataLossError: the file is no GraphDef.
        ResourceExhaustedError: there is not enough memory.
        OSError: the file cannot be read.
        ValueError: a node is malformed, or does not fit its inputs.

    Example:
        >>> import os, tempfile
        >>> import tensordraft as td
        >>> with td.Graph().as_default() as graph:
        ...     y = td.constant([1, 2], name="y")
        >>> path = td.save_graph(graph, os.path.join(tempfile.mkdtemp(), "graph.pb"))
        >>> graph = td.load_graph(path, progress=print)
        nodes 0 1
        >>> [op.name for op in graph.get_operations()]
        ['y']
    """
    with _memory_for(path):
        graph_def, contents = read_graph_def(path, progress)
        return import_whole(graph_def, contents=contents, progress=progress)


def load_graph_def(path: str | PathLike[str]) -> GraphDef:
    """Reads a GraphDef message from a file.

    Args:
        path: the file; text form if it ends in `.pbtxt`, else binary.

    Raises:
        NotFoundError: there is no such file.
        DataLossError: the file is no GraphDef.
        OSError: the file cannot be read.
    """
    path = os.fspath(path)
    return parse_message(GraphDef, read_file(path), path)


def read_graph_def(
    path: str | PathLike[str], progress: Progress | None = None
) -> tuple[GraphDef, dict[str, memoryview]]:
    """A GraphDef from a file, without the content of large constants, which come beside it.

    Args:
        path: as for `load_graph`.
        progress: as for `load_graph`.

    Returns:
        The message, and the content of large constants by the names of their nodes.

    Raises:
        NotFoundError, DataLossError, ResourceExhaustedError, OSError: as `load_graph`.
    """
    path = os.fspath(path)
    with _opened(path) as file, _memory_for(path):
        size = os.fstat(file.fileno()).st_size
        if size < _WORTH_A_LOOK or path.endswith(_TEXT_SUFFIXES):
            return parse_message(GraphDef, file.read(), path), {}
        data, contents = read_apart(file, size, progress)
        return parse_message(GraphDef, data, path), contents


def read_file(path: str) -> bytes:
    """The bytes of a file.

    Raises:
        NotFoundError: there is no such file.
        ResourceExhaustedError: there is not enough memory.
        OSError: it cannot be read.
    """
    with _opened(path) as file, _memory_for(path):
        return file.read()


@contextmanager
def _opened(path: str) -> Iterator[BufferedReader]:
    try:
        with open(path, "rb") as file:
            yield file
    except FileNotFoundError:
        raise errors.NotFoundError(None, None, f"there is no file {path!r}") from None


@contextmanager
def _memory_for(path: str | PathLike[str]) -> Iterator[None]:
    try:
        yield
    except MemoryError:
        message = f"{os.fspath(path)!r} takes more memory than is left"
        raise errors.ResourceExhaustedError(None, None, message) from None


def parse_message(kind: type[AnyMessage], data: bytes, source: str) -> AnyMessage:
    """The message that `data` holds.

    Args:
        kind: the class of the message.
        data: the message, in text form if `source` ends like the name of a text file.
        source: the file that the data is from.

    Raises:
        DataLossError: it is no such message.
    """
    try:
        return _from_text(kind, data) if source.endswith(_TEXT_SUFFIXES) else kind.FromString(data)
    except (ValueError, RecursionError, protobuf_message.DecodeError) as error:
        what = f"{source} is not a {kind.__name__}"
        raise errors.DataLossError(None, None, f"{what}: {error}") from error


def _from_text(kind: type[AnyMessage], data: bytes) -> AnyMessage:
    from google.protobuf import text_format

    try:
        message = text_format.Parse(data.decode(), kind())
    except text_format.ParseError as error:
        raise ValueError(str(error)) from error
    # In binary form, messages may be nested less deep; what cannot be saved is not loaded.
    return kind.FromString(message.SerializeToString())


def write_message(message: Message, path: str, *, as_text: bool) -> str:
    """Writes a message to a file, which is complete or absent; returns the path.

    Raises:
        ValueError: the message is larger than 2 GiB, the most that protobuf can read.
        OSError: the file cannot be written.
    """
    data = _encoded(message, as_text=as_text)
    with replacing(path) as file:
        file.write(data)
    return path


def _encoded(message: Message, *, as_text: bool) -> bytes:
    if as_text:
        from google.protobuf import text_format

        return text_format.MessageToString(message).encode()
    try:
        data: bytes = message.SerializeToString(deterministic=True)
    except protobuf_message.EncodeError as error:
        raise _too_large(message) from error
    if len(data) > _MOST_BYTES:  # some versions of protobuf write what none of them reads
        raise _too_large(message)
    return data


def _too_large(message: Message) -> ValueError:
    name = type(message).__name__
    return ValueError(f"the {name} is larger than 2 GiB, the most that protobuf can read")


def _as_message(graph: Graph | GraphDef) -> GraphDef:
    if not isinstance(graph, Graph):
        return graph
    for op in graph.get_operations():
        if op.definition.traits.calls_python:
            raise ValueError(
                f"the graph cannot be saved: {whereabouts(op)} calls a Python function, which is "
                "no part of a graph"
            )
    return graph.as_graph_def()
