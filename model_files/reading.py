"""Readers of model files of every format: each gives a GraphDef with a signature.

A format that is not a graph message of TensorFlow has a reader in a folder of its own. It returns
the graph frozen: weights are constants, whose large contents may stay beside the GraphDef.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from io import BufferedIOBase
from os import PathLike

from ..formats import model_files
from ..formats.compressed_files import uncompressed
from ..formats.file_kinds import Kind, kind_of
from ..formats.message_files import memory_for, opened
from ..formats.model_files import ModelFile
from ..formats.progress import Progress
from ..graph.api.late_imports import late_import
from .locating import locate

_READERS = {
    Kind.KERAS_HDF5: "reader of Keras HDF5 files",
    Kind.KERAS_ARCHIVE: "reader of Keras archives",
    Kind.TFJS: "reader of TensorFlow.js models",
    Kind.TFLITE: "reader of TensorFlow Lite files",
}
"""Each reader, imported when the first such file is read, by its key in `LATE_IMPORTS`."""


def read_model(
    path: str | PathLike[str],
    tags: Iterable[str] | None = None,
    progress: Progress | None = None,
    *,
    apart: bool = True,
) -> ModelFile:
    """Reads a model from a file or folder of any format, detected from the content.

    Args:
        path: the file, the folder, or the prefix of a checkpoint: see `locate`.
        tags: of a SavedModel, the tags of the meta graph; by default the only one, or that for
            serving.
        progress: called now and then.
        apart: whether the content of large constants may be beside the graph.

    Raises:
        NotFoundError: there is no such file, no model in the folder, or no meta graph with these
            tags.
        DataLossError: the file holds no model; the error says what it is, and what to do.
        UnimplementedError: something in it is not supported; it is named.
        ImportError: the package that reads the format is not installed; the error names the extra.
        ResourceExhaustedError: there is not enough memory.
        OSError: the file cannot be read.
    """
    path = locate(os.fsdecode(path))
    with opened(path) as file, memory_for(path):
        return read_opened(file, path, tags, progress, apart=apart)._replace(path=path)


def read_opened(
    file: BufferedIOBase,
    title: str,
    tags: Iterable[str] | None = None,
    progress: Progress | None = None,
    *,
    apart: bool = True,
) -> ModelFile:
    """Reads a model from a file that is open, and has a descriptor: as `read_model`.

    Args:
        file: the file.
        title: the path, for errors and for the files beside it.
        tags: as for `read_model`.
        progress: as for `read_model`.
        apart: as for `read_model`.
    """
    with uncompressed(file, title) as plain:
        return _read_plain(plain, title, tags, progress, apart=apart)


def _read_plain(
    file: BufferedIOBase,
    title: str,
    tags: Iterable[str] | None,
    progress: Progress | None,
    *,
    apart: bool,
) -> ModelFile:
    """Reads a model from a file that is not compressed."""
    kind, _ = kind_of(file, title)
    if kind in _READERS:
        model: ModelFile = late_import(_READERS[kind])(file, title, progress, apart=apart)
        return model
    return model_files.read_opened(file, title, tags, progress, apart=apart)
