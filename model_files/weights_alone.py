"""Files that hold weights and no graph: the names, dtypes and shapes in them."""

from __future__ import annotations

import os
import re
from typing import Any, NamedTuple

from ..formats.checkpoints.checkpoint_reader import CheckpointReader
from ..formats.checkpoints.checkpoint_state import checkpoint_exists, latest_checkpoint
from ..formats.file_kinds import HDF5
from ..formats.message_files import opened
from ..formats.numpy_files import NumpyArchive, npy_type
from ..formats.other_files import TABLE_END, archive_names, is_safetensors, safetensors_header
from ..keras_api.models import hdf5_files
from ..runtime import errors

_PARTS = re.compile(r"\.(index|npz|data-\d{5}-of-\d{5})$")
_STATE = "checkpoint"
_MOST = 1_000_000  # arrays that are listed of one file


class Weights(NamedTuple):
    """The arrays in a file, by name.

    Attributes:
        kind: what the file is.
        advice: what to do with it.
        arrays: the dtype and shape of each.
    """

    kind: str
    advice: str
    arrays: dict[str, tuple[str, list[int]]]


def weights_at(path: str) -> Weights | None:
    """The weights in a file, a checkpoint or its folder; None if there are none.

    Nothing of the weights themselves is read.

    Args:
        path: a file of HDF5, NumPy or safetensors; the prefix of a checkpoint, or one of its files;
            or a folder with a `checkpoint` file.

    Raises:
        DataLossError: the file is damaged.
        ImportError: it is HDF5, and h5py is not installed.
        OSError: the file cannot be read.
    """
    prefix = _checkpoint(path)
    if prefix is not None:
        with CheckpointReader(prefix) as reader:
            dtypes = reader.get_variable_to_dtype_map()
            shapes = reader.get_variable_to_shape_map()
        return Weights(
            "a checkpoint without its graph",
            "a program restores it by td.train.Saver, or reads it by td.train.load_checkpoint",
            {name: (dtypes[name].name, list(shape)) for name, shape in sorted(shapes.items())},
        )
    if not os.path.isfile(path):
        return None
    with opened(path) as file:
        head = file.read(16)
        file.seek(0)
        try:
            return _in_file(file, head, path)
        except (ValueError, EOFError) as error:
            raise errors.DataLossError(None, None, f"{path} is damaged: {error}") from error


def _in_file(file: Any, head: bytes, path: str) -> Weights | None:
    """The weights in an open file of another kind than checkpoints."""
    if head.startswith(HDF5):
        with hdf5_files.opened(path) as hdf5:
            return Weights(
                "weights in HDF5, without a model",
                "build the model by its program, and call model.load_weights on the file",
                _datasets(hdf5),
            )
    if head.startswith(b"PK"):
        if archive_names(file) is None:
            return None
        archive = NumpyArchive(file)
        if not archive.names or not archive.holds_arrays():
            return None
        return Weights("an archive of NumPy arrays", _FEED.format(":KEY"), archive.types())
    if head.startswith(b"\x93NUMPY"):
        dtype, shape = npy_type(file)
        return Weights("an array of NumPy", _FEED.format(""), {"": (dtype.name, list(shape))})
    size = os.fstat(file.fileno()).st_size
    if is_safetensors(head, size):
        return Weights(
            "weights of safetensors, without a model",
            "without a program they compute nothing",
            safetensors_header(file),
        )
    return None


_FEED = "it is fed by --feed NAME=FILE{}"


def _checkpoint(path: str) -> str | None:
    """The prefix of the checkpoint that a path means."""
    if os.path.isdir(path) or os.path.basename(path) == _STATE:
        folder = (path if os.path.isdir(path) else os.path.dirname(path)) or os.curdir
        indexes = [name for name in os.listdir(folder) if name.endswith(".index")]
        latest = latest_checkpoint(folder)
        if latest is None and len(indexes) == 1:
            return os.path.join(folder, indexes[0].removesuffix(".index"))
        return latest
    for prefix in (path, _PARTS.sub("", path)):
        if os.path.exists(f"{prefix}.index") or _is_archive(f"{prefix}.npz"):
            return prefix
    return path if checkpoint_exists(path) and _is_table(path) else None


def _is_archive(path: str) -> bool:
    """Returns whether a file is a checkpoint of this library, and not just arrays."""
    if not os.path.isfile(path):
        return False
    with opened(path) as file:
        return "manifest.json" in (archive_names(file) or ())


def _is_table(path: str) -> bool:
    """Returns whether a file ends as the tables of checkpoints do, and those of version 1."""
    if not os.path.isfile(path):
        return True  # the shards of one
    with open(path, "rb") as file:
        if file.seek(0, os.SEEK_END) < len(TABLE_END):
            return False
        file.seek(-len(TABLE_END), os.SEEK_END)
        return file.read() == TABLE_END


def _datasets(file: Any) -> dict[str, tuple[str, list[int]]]:
    """The datasets in a file of HDF5; links to other files are not followed."""
    arrays: dict[str, tuple[str, list[int]]] = {}

    def add(name: str, item: Any) -> bool | None:
        shape = getattr(item, "shape", None)
        if shape is not None and hasattr(item, "dtype"):
            arrays[name] = (str(item.dtype), list(shape))
        return True if len(arrays) >= _MOST else None

    file.visititems(add)
    return arrays
