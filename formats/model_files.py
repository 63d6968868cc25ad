"""Files and folders that hold a graph, of whatever kind, read alike."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from io import BufferedIOBase
from os import PathLike
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from ..protos.messages import GraphDef, MetaGraphDef, SavedModel
from ..runtime import errors
from ..runtime.load_budget import reported_to, take
from .compressed_files import uncompressed
from .file_kinds import Kind, kind_of, looks_cut_off
from .large_constants import read_apart
from .message_files import memory_for, opened, parse_message
from .progress import Progress

MODEL_FILES = ("saved_model.pb", "saved_model.pbtxt")
"""Names of the file of a SavedModel."""
_WORTH_A_LOOK = 1 << 24  # bytes of a file: what can be won in a smaller one is too little
_MOST_NAMED = 5
_SERVE = frozenset({"serve"})
_MESSAGES = {
    Kind.GRAPH: GraphDef,
    Kind.META_GRAPH: MetaGraphDef,
    Kind.SAVED_MODEL: SavedModel,
}


class ModelFile(NamedTuple):
    """A file that holds a graph.

    Attributes:
        path: the file; "" where it was read from an open one, beside which nothing is looked for.
        kind: what it is.
        graph_def: the graph; the content of large constants may be beside it.
        meta_graph: the meta graph that the graph is of; None for a bare GraphDef.
        contents: the content of large constants by the names of their nodes.
        order: the names of inputs and outputs in the order of the model, by signature, where the
            format has one; messages of signatures have none.
    """

    path: str
    kind: Kind
    graph_def: GraphDef
    meta_graph: MetaGraphDef | None
    contents: dict[str, memoryview]
    order: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {}


class Reader(Protocol):
    """A reader of one kind of model; it returns a frozen graph with a signature."""

    def __call__(
        self, file: BufferedIOBase, path: str, progress: Progress | None = None, *, apart: bool
    ) -> ModelFile:
        """Reads a model from an open file, beside which there may be others."""
        ...


NO_READERS: Mapping[Kind, Reader] = MappingProxyType({})


def read_model(
    path: str | PathLike[str],
    tags: Iterable[str] | None = None,
    progress: Progress | None = None,
    *,
    apart: bool = True,
    readers: Mapping[Kind, Reader] = NO_READERS,
) -> ModelFile:
    """Reads a file or folder that holds a graph; its kind is detected from the content.

    Args:
        path: a GraphDef, a MetaGraphDef or a SavedModel, binary or text, which may be compressed;
            or the folder of a SavedModel.
        tags: of a SavedModel, the tags of the meta graph; by default the only one, or that for
            serving.
        progress: called now and then.
        apart: whether the content of large constants may be beside the graph.
        readers: the readers of other kinds of model.

    Raises:
        NotFoundError: there is no such file, no SavedModel in the folder, or no meta graph with
            these tags.
        DataLossError: the file holds no graph; the error says what it is, and what to do.
        ResourceExhaustedError: there is not enough memory.
        OSError: the file cannot be read.

    Example:
        >>> import os, tempfile
        >>> from tensordraft.formats.model_files import read_model
        >>> with td.Graph().as_default() as graph:
        ...     x = td.constant(1, name="x")
        >>> path = os.path.join(tempfile.mkdtemp(), "odd.name")
        >>> model = read_model(td.save_graph(graph, path))
        >>> model.kind.value, [node.name for node in model.graph_def.node]
        ('GraphDef', ['x'])
    """
    path = os.fsdecode(path)
    if os.path.isdir(path):
        path = model_file(path)
    with opened(path) as file, memory_for(path):
        model = read_opened(file, path, tags, progress, apart=apart, readers=readers)
        return model._replace(path=path)


def read_opened(
    file: BufferedIOBase,
    title: str,
    tags: Iterable[str] | None = None,
    progress: Progress | None = None,
    *,
    apart: bool = True,
    readers: Mapping[Kind, Reader] = NO_READERS,
) -> ModelFile:
    """Reads a graph from a file that is open, and has a descriptor: as `read_model`.

    Args:
        file: the file.
        title: the path, for errors and for the files beside it.
        tags: as for `read_model`.
        progress: as for `read_model`.
        apart: as for `read_model`.
        readers: as for `read_model`.
    """
    with uncompressed(file, title) as plain:
        kind, is_text = kind_of(plain, title)
        if kind in readers:
            return readers[kind](plain, title, progress, apart=apart)
        if kind not in _MESSAGES:
            raise errors.DataLossError(
                None, None, f"{title} is not a graph but a {kind.value}: td.load opens it"
            )
        return _read_message(plain, title, kind, is_text, tags, progress, apart)


def _read_message(
    file: BufferedIOBase,
    title: str,
    kind: Kind,
    is_text: bool,
    tags: Iterable[str] | None,
    progress: Progress | None,
    apart: bool,
) -> ModelFile:
    size = os.fstat(file.fileno()).st_size
    progress = reported_to(progress)
    if progress is not None:
        progress("bytes", 0, size)
    take(size, f"the file {title!r}")
    contents: dict[str, memoryview] = {}
    if apart and kind is Kind.GRAPH and not is_text and size >= _WORTH_A_LOOK:
        data, contents = read_apart(file, size, progress)
    else:
        data = file.read()
    try:
        message: Any = parse_message(_MESSAGES[kind], data, title, as_text=is_text)
    except errors.DataLossError as error:
        if is_text or not looks_cut_off(file, size):
            raise
        message = (
            f"{title} is not a {kind.value}: it ends in the middle of a message, after {size} "
            "bytes, as a file that was cut off does; copy or download it again"
        )
        raise errors.DataLossError(None, None, message) from error
    meta_graph = None
    if not isinstance(message, GraphDef):
        meta_graph = chosen(message, tags, title) if isinstance(message, SavedModel) else message
    graph_def = message if meta_graph is None else meta_graph.graph_def
    if progress is not None:
        functions = graph_def.library.function
        progress("nodes", 0, len(graph_def.node) + sum(len(f.node_def) for f in functions))
    return ModelFile("", kind, graph_def, meta_graph, contents)


def with_contents(model: ModelFile) -> ModelFile:
    """The model with the contents of large constants in its graph."""
    for node in model.graph_def.node:
        if node.name in model.contents:
            node.attr["value"].tensor.tensor_content = bytes(model.contents[node.name])
    return model._replace(contents={})


def load_graph_def(path: str | PathLike[str]) -> GraphDef:
    """The GraphDef in a file or folder: as `read_model`."""
    return read_model(path, apart=False).graph_def


def holds_saved_model(folder: str) -> bool:
    """Returns whether there is a SavedModel in a folder."""
    return any(os.path.isfile(os.path.join(folder, name)) for name in MODEL_FILES)


def model_file(folder: str) -> str:
    """The file of the SavedModel in a folder.

    Raises:
        NotFoundError: there is none; the error says what is there instead.
    """
    for name in MODEL_FILES:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    names = sorted(os.listdir(folder))
    graphs = [name for name in names if name.endswith((".meta", ".pb", ".pbtxt"))]
    inside = [name for name in names if holds_saved_model(os.path.join(folder, name))]
    message = f"there is no SavedModel in {folder!r}"
    if graphs or inside:
        message += f"; it holds {', '.join([*inside, *graphs][:8])}: name one of these"
    else:
        message += f", which would be a file {MODEL_FILES[0]}; " + (
            f"it holds {', '.join(names[:_MOST_NAMED])}" if names else "it is empty"
        )
    raise errors.NotFoundError(None, None, message)


def chosen(model: SavedModel, tags: Iterable[str] | None, path: str) -> MetaGraphDef:
    """The meta graph of a SavedModel that has the tags.

    Raises:
        NotFoundError: there is none, or more than one.
    """
    graphs = list(model.meta_graphs)
    wanted = _SERVE if tags is None else set(tags)
    fitting = [graph for graph in graphs if set(graph.meta_info_def.tags) == wanted]
    if tags is None and len(graphs) == 1:
        fitting = graphs
    if len(fitting) != 1:
        there = [sorted(graph.meta_info_def.tags) for graph in graphs]
        raise errors.NotFoundError(
            None,
            None,
            f"{path}: no one meta graph with the tags {sorted(wanted)}; there are {there}",
        )
    return fitting[0]
