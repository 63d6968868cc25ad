"""Detection of a file's kind by its content: graph messages, other models, or something else.

Suffixes mislead: meta graphs and SavedModels are found under `.pb`, archives of Keras under `.h5`.
So the first bytes decide, and the fields that a message begins with.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from enum import Enum
from io import BufferedIOBase

from ..runtime import errors
from .large_constants import fields_of, first_fields
from .message_files import TEXT_SUFFIXES
from .other_files import archive_names, is_text, other_file, other_text, plain_text

_HEAD = 4096
_WORD = re.compile(rb"\s*(?:#[^\n]*\n\s*)*([a-z_]+)\s*[:{]")


class Kind(Enum):
    """Kind of a file's content."""

    GRAPH = "GraphDef"
    META_GRAPH = "MetaGraphDef"
    SAVED_MODEL = "SavedModel"
    KERAS_HDF5 = "Keras HDF5 model"
    KERAS_ARCHIVE = "Keras archive"
    TFJS = "TensorFlow.js model"
    TFLITE = "TensorFlow Lite model"
    ONNX = "ONNX model"


HDF5 = b"\x89HDF\r\n\x1a\n"
_TFJS_KEYS = (b'"modelTopology"', b'"weightsManifest"', b'"graph-model"', b'"layers-model"')
_META_WORDS = {b"meta_info_def", b"graph_def", b"saver_def", b"collection_def", b"signature_def"}
_MODEL_WORDS = {b"saved_model_schema_version", b"meta_graphs"}
_WORDS = _META_WORDS | _MODEL_WORDS | {b"node", b"library", b"versions", b"version"}


def kind_of(file: BufferedIOBase, path: str) -> tuple[Kind, bool]:
    """Kind of a file's content, and whether it is text.

    Args:
        file: the file, open for reading; afterwards it is at its beginning.
        path: its name, for errors.

    Returns:
        The kind; a graph by default, so that parsing reports what is wrong.

    Raises:
        DataLossError: it holds no model; the error says what it is, and what to do.
    """
    file.seek(0)
    head = file.read(_HEAD)
    size = file.seek(0, os.SEEK_END)
    model = _other_model(file, head)
    if model is not None:
        file.seek(0)
        return model, model is Kind.TFJS
    other = other_file(file, head, size, path)
    word = _WORD.match(head)
    text = is_text(head)
    if text and other is None and (word is None or word[1] not in _WORDS):
        other = other_text(head) or (None if path.endswith(TEXT_SUFFIXES) else plain_text(head))
    if other is not None:
        raise errors.DataLossError(None, None, f"{path} is not a graph: it is {other}")
    text = text and (word is not None or path.endswith(TEXT_SUFFIXES))
    if word is not None and text:
        kind = Kind.GRAPH
        if word[1] in _META_WORDS:
            kind = Kind.META_GRAPH
        elif word[1] in _MODEL_WORDS:
            kind = Kind.SAVED_MODEL
    elif text:
        kind = Kind.GRAPH
    else:
        kind = _of_message(file, size, path)
    file.seek(0)
    return kind, text


def _other_model(file: BufferedIOBase, head: bytes) -> Kind | None:
    """Kind of a file that holds a model, though not in one of the graph messages."""
    if head.startswith(HDF5):
        return Kind.KERAS_HDF5
    if head[4:8] == b"TFL3":
        return Kind.TFLITE
    if head.lstrip().startswith(b"{") and any(key in head for key in _TFJS_KEYS):
        return Kind.TFJS
    if head.startswith(b"PK\x03\x04") and _is_keras_archive(archive_names(file) or ()):
        return Kind.KERAS_ARCHIVE
    return None


def _is_keras_archive(names: Iterable[str]) -> bool:
    """Returns whether the members of an archive are those of a `.keras` file."""
    return "config.json" in names and any(name.endswith(".weights.h5") for name in names)


def _of_message(file: BufferedIOBase, size: int, path: str) -> Kind:
    """The kind of message, by the fields that it begins with."""
    seen = first_fields(file, size)
    if not seen:
        return _by_name(path)
    tags = [field.tag for field in seen]
    if tags[:1] == [0x08]:
        return Kind.ONNX if 0x3A in tags or 0x42 in tags else Kind.SAVED_MODEL
    if tags.count(0x0A) > 1 or 0x12 not in tags:
        return Kind.META_GRAPH if tags.count(0x0A) < 2 and 0x1A in tags else Kind.GRAPH
    # A GraphDef with one node and a library, or a MetaGraphDef, whose second field is the graph:
    # its first field is a node, which has an op type behind its name.
    whole = seen[tags.index(0x12)]
    try:
        inner = next(fields_of(file, whole.value, whole.stop))
        if inner.tag != 0x0A:
            return Kind.META_GRAPH if set(tags) - {0x0A, 0x12, 0x22} else Kind.GRAPH
        parts = [field.tag for field in fields_of(file, inner.value, inner.stop)]
    except (StopIteration, ValueError):
        return Kind.META_GRAPH if set(tags) & {0x1A, 0x2A} else Kind.GRAPH
    return Kind.META_GRAPH if parts[:2] == [0x0A, 0x12] else Kind.GRAPH


def _by_name(path: str) -> Kind:
    """Intended kind of a file whose content is inconclusive."""
    if os.path.basename(path).startswith("saved_model."):
        return Kind.SAVED_MODEL
    return Kind.META_GRAPH if path.endswith(".meta") else Kind.GRAPH


def looks_cut_off(file: BufferedIOBase, size: int) -> bool:
    """Returns whether a message has whole fields, followed by a truncated one."""
    end = 0
    try:
        for field in fields_of(file, 0, size):
            end = field.stop
    except ValueError:
        return 0 < end < size
    return False


def not_hdf5(file: BufferedIOBase) -> str | None:
    """Description of a file that is not HDF5; None if it is.

    Args:
        file: the file, open for reading.
    """
    head = file.read(_HEAD)
    model = _other_model(file, head)
    if model is not None:
        return None if model is Kind.KERAS_HDF5 else f"a {model.value}"
    size = file.seek(0, os.SEEK_END)
    return str(other_file(file, head, size) or "something else")
