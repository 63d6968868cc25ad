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
from ..formats.file_kinds import Kind
from ..formats.model_files import ModelFile, Reader
from ..formats.progress import Progress
from ..graph.api.late_imports import late_import
from .locating import locate


def _imported(use: str) -> Reader:
    """A reader that is imported when the first such file is read."""

    def read(
        file: BufferedIOBase, path: str, progress: Progress | None = None, *, apart: bool = True
    ) -> ModelFile:
        model: ModelFile = late_import(use)(file, path, progress, apart=apart)
        return model

    return read


READERS = {
    Kind.KERAS_HDF5: _imported("reader of Keras HDF5 files"),
    Kind.KERAS_ARCHIVE: _imported("reader of Keras archives"),
    Kind.TFJS: _imported("reader of TensorFlow.js models"),
    Kind.TFLITE: _imported("reader of TensorFlow Lite files"),
}
"""Readers of what is not a graph message, by kind."""


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
    return model_files.read_model(path, tags, progress, apart=apart, readers=READERS)
