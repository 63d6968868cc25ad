"""The file of a model that a path means: a file, a folder, or the prefix of a checkpoint."""

from __future__ import annotations

import os
import re

from ..formats.checkpoints.checkpoint_state import latest_checkpoint
from ..formats.model_files import MODEL_FILES, model_file, saved_models_in
from ..runtime import errors

_PARTS = re.compile(r"\.(index|data-\d{5}-of-\d{5})$")
_STATE = "checkpoint"
# Of a folder that holds no SavedModel, the files that are a model by themselves.
_NAMES = ("model.json",)
_SUFFIXES = (".keras", ".tflite", ".onnx", ".h5", ".hdf5", ".pb", ".pbtxt")


def locate(path: str) -> str:
    """The file to read for `path`.

    Args:
        path: a file; the prefix of a checkpoint, or one of its files, with the `.meta` beside it;
            or a folder with a SavedModel, a `checkpoint` file, a `model.json`, or one model.

    Raises:
        NotFoundError: nothing there is a model; the error says what is there.
    """
    if os.path.isdir(path):
        return _in_folder(path)
    prefix = _PARTS.sub("", path)
    meta = f"{prefix}.meta"
    if (prefix != path or not os.path.exists(path)) and os.path.exists(meta):
        return meta
    if os.path.basename(path) == _STATE and os.path.isfile(path):
        return _of_checkpoint(os.path.dirname(path))
    return path


def _in_folder(folder: str) -> str:
    """The model in a folder."""
    names = sorted(os.listdir(folder))
    if not any(name in names for name in MODEL_FILES):
        if _STATE in names and any(name.endswith(".meta") for name in names):
            return _of_checkpoint(folder)
        models = [name for name in names if name in _NAMES]
        models = models or [name for name in names if name.endswith(".meta")]
        models = models or [name for name in names if name.endswith(_SUFFIXES)]
        if len(models) == 1 and not saved_models_in(folder, names):
            return os.path.join(folder, models[0])
    return model_file(folder)


def _of_checkpoint(folder: str) -> str:
    """The `.meta` file of the latest checkpoint in a folder."""
    prefix = latest_checkpoint(folder or os.curdir)
    if prefix is None:
        raise errors.NotFoundError(
            None,
            None,
            f"the file {_STATE!r} in {folder or os.curdir!r} names a checkpoint that is not there",
        )
    meta = f"{prefix}.meta"
    if os.path.exists(meta):
        return meta
    message = (
        f"the checkpoint {prefix!r} has no graph beside it, which would be {meta!r}: it holds only "
        "values of variables; td.train.list_variables lists them"
    )
    raise errors.NotFoundError(None, None, message)
