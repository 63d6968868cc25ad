"""Readers of Keras files: whole models in HDF5, and archives."""

from __future__ import annotations

from io import BufferedIOBase
from typing import Any

from ...formats.file_kinds import Kind
from ...formats.model_files import ModelFile
from ...formats.progress import Progress
from ...graph.graph import Graph
from ...keras_api.backend.session import set_learning_phase
from ...keras_api.models.archives import read_archive
from ...keras_api.models.model_reading import read_hdf5_model
from ...runtime import errors
from ...runtime.load_budget import reported_to
from .freezing import frozen

_READERS = {Kind.KERAS_HDF5: read_hdf5_model, Kind.KERAS_ARCHIVE: read_archive}
_DAMAGED = (TypeError, KeyError, IndexError, AttributeError, OverflowError, ValueError)


def read_keras(
    kind: Kind, file: BufferedIOBase, path: str, progress: Progress | None = None
) -> ModelFile:
    """Reads a Keras model as a frozen graph, with a signature of its inputs and outputs.

    Args:
        kind: what the file is.
        file: the file.
        path: its path.
        progress: called now and then.

    Raises:
        DataLossError: the file is damaged, or holds only variables.
        UnimplementedError: it has layers that are not supported; the error names them.
        ResourceExhaustedError: it takes more than a budget allows.
        ImportError: h5py is not installed.
    """
    graph, progress = Graph(), reported_to(progress)
    with graph.as_default():
        set_learning_phase(0)
        try:
            model, values = _READERS[kind](file, path)
            if progress is not None:
                progress("nodes", 0, len(graph.get_operations()))
            return frozen(kind, graph, model, values)
        except errors.OpError:
            raise
        except RecursionError as exc:
            raise errors.DataLossError(None, None, f"{path} is nested too deeply") from exc
        except _DAMAGED as exc:
            raise errors.DataLossError(None, None, _message(path, exc)) from exc


def _message(path: str, error: Any) -> str:
    text = str(error.args[0]) if error.args else type(error).__name__
    return text if path in text else f"{path}: {text}"
