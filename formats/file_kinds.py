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
from .large_constants import fields_of
from .message_files import TEXT_SUFFIXES

_HEAD = 4096
_MOST_FIELDS = 32  # of a message, that are looked at
_WORD = re.compile(rb"\s*(?:#[^\n]*\n\s*)*([a-z_]+)\s*[:{]")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")


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


OTHER_MODELS = {
    Kind.KERAS_HDF5: "an HDF5 file, as of Keras; td.keras.models.load_model reads it",
    Kind.KERAS_ARCHIVE: "a Keras v3 archive; export it with model.export(folder)",
    Kind.TFJS: "JSON of a TensorFlow.js model; the SavedModel that it was converted from is needed",
    Kind.TFLITE: (
        "a model of TensorFlow Lite; the SavedModel that it was converted from is needed"
    ),
    Kind.ONNX: "an ONNX model; the TensorFlow graph that it was converted from is needed",
}
MESSAGES = frozenset({Kind.GRAPH, Kind.META_GRAPH, Kind.SAVED_MODEL})


# What else it may be, by what it begins with; and what to do then.
_BEGINNINGS = (
    (b"\x1f\x8b", "compressed with gzip; unpack it first"),
    (b"\xfd7zXZ", "compressed with xz; unpack it first"),
    (b"BZh", "compressed with bzip2; unpack it first"),
    (b"\x93NUMPY", "an array of NumPy; feed it with --feed NAME=FILE"),
    (b"\x80\x02", "a pickle, which is not opened; export the model as a SavedModel"),
    (b"\x80\x03", "a pickle, which is not opened; export the model as a SavedModel"),
    (b"\x80\x04", "a pickle, which is not opened; export the model as a SavedModel"),
    (b"\x7fELF", "a program or a library"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (b"<", "a page of HTML or XML, such as a download that failed"),
    (b"version https://git-lfs", "a pointer of Git LFS; fetch the file itself with git lfs pull"),
    (b"{", "JSON, such as the config of a Keras model; the SavedModel is needed"),
)
_HDF5 = b"\x89HDF\r\n\x1a\n"
_TFJS_KEYS = (b'"modelTopology"', b'"weightsManifest"', b'"graph-model"', b'"layers-model"')
_TABLE_END = bytes.fromhex("57fb808b247547db")
_META_WORDS = {b"meta_info_def", b"graph_def", b"saver_def", b"collection_def", b"signature_def"}
_MODEL_WORDS = {b"saved_model_schema_version", b"meta_graphs"}


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
    other = _something_else(file, head, size)
    if other:
        raise errors.DataLossError(None, None, f"{path} is not a graph: it is {other}")
    word = _WORD.match(head)
    is_text = not _CONTROL.search(head) and (word is not None or path.endswith(TEXT_SUFFIXES))
    if word is not None and is_text:
        kind = Kind.GRAPH
        if word[1] in _META_WORDS:
            kind = Kind.META_GRAPH
        elif word[1] in _MODEL_WORDS:
            kind = Kind.SAVED_MODEL
    elif is_text:
        kind = Kind.GRAPH
    else:
        kind = _of_message(file, size, path)
    file.seek(0)
    return kind, is_text


def _other_model(file: BufferedIOBase, head: bytes) -> Kind | None:
    """Kind of a file that holds a model, though not in one of the graph messages."""
    if head.startswith(_HDF5):
        return Kind.KERAS_HDF5
    if head[4:8] == b"TFL3":
        return Kind.TFLITE
    if head.lstrip().startswith(b"{") and any(key in head for key in _TFJS_KEYS):
        return Kind.TFJS
    if head.startswith(b"PK\x03\x04") and _is_keras_archive(_archive_names(file) or ()):
        return Kind.KERAS_ARCHIVE
    return None


def _something_else(file: BufferedIOBase, head: bytes, size: int) -> str:
    """Description of a file that is not one of the messages."""
    if head.startswith(b"PK\x03\x04"):
        return _archive(file)
    for beginning, kind in _BEGINNINGS:
        if head.startswith(beginning):
            return kind
    if size >= len(_TABLE_END):
        file.seek(-len(_TABLE_END), os.SEEK_END)
        if file.read() == _TABLE_END:
            return "the index of a checkpoint; name its .meta file, or the folder of a SavedModel"
    if size > 24 and int.from_bytes(head[:8], "little") < 1 << 32 and head[4:8] == b"\0\0\0\0":
        return "a file of records, such as events for TensorBoard"
    return ""


def _archive_names(file: BufferedIOBase) -> list[str] | None:
    """Names of the members of a ZIP archive; None if it is damaged."""
    import zipfile

    try:
        file.seek(0)
        with zipfile.ZipFile(file) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, RuntimeError, NotImplementedError):
        return None


def _is_keras_archive(names: Iterable[str]) -> bool:
    """Returns whether the members of an archive are those of a `.keras` file."""
    return "config.json" in names and any(name.endswith(".weights.h5") for name in names)


def _archive(file: BufferedIOBase) -> str:
    """Description of a ZIP archive, by its contents."""
    names = _archive_names(file)
    if names is None:
        return "a ZIP archive that is cut off or damaged"
    if "manifest.json" in names and any(name.endswith(".npy") for name in names):
        return "a checkpoint of tensordraft, without a graph; name the .meta file beside it"
    if any(name.endswith("data.pkl") for name in names):
        return "a model of PyTorch; export it as a TensorFlow graph"
    if names and all(name.endswith(".npy") for name in names):
        return "an .npz archive of arrays; feed them with --feed NAME=FILE:KEY"
    if any(name.endswith(("saved_model.pb", "saved_model.pbtxt")) for name in names):
        return "a ZIP archive with a SavedModel; unpack it and name the folder"
    return "a ZIP archive; unpack it first"


def _of_message(file: BufferedIOBase, size: int, path: str) -> Kind:
    """The kind of message, by the fields that it begins with."""
    seen = []
    try:
        for field in fields_of(file, 0, size):
            seen.append(field)
            if len(seen) == _MOST_FIELDS:
                break
    except ValueError:
        pass
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
        return None if model is Kind.KERAS_HDF5 else OTHER_MODELS[model]
    size = file.seek(0, os.SEEK_END)
    return _something_else(file, head, size) or ("something else" if head else "empty")
