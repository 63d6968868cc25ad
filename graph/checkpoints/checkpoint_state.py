"""The file `checkpoint` in a folder, which names the checkpoints there: TensorFlow's, as text."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from .. import errors
from ..files.message_files import read_file
from ..files.replacement import replacing
from .checkpoint_file import SUFFIX
from .old_checkpoint import files_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

public = {
    "td.train": (
        "CheckpointState checkpoint_exists get_checkpoint_state latest_checkpoint "
        "update_checkpoint_state"
    ),
}

_LATEST = "model_checkpoint_path"
_ALL = "all_model_checkpoint_paths"
_BUNDLE_SUFFIX = ".index"


class CheckpointState(NamedTuple):
    """The checkpoints of a folder.

    Args:
        model_checkpoint_path: the latest one.
        all_model_checkpoint_paths: all that are kept, the oldest first.

    Example:
        >>> import tensordraft as td
        >>> td.train.CheckpointState("model-2", ["model-1", "model-2"]).model_checkpoint_path
        'model-2'
    """

    model_checkpoint_path: str
    all_model_checkpoint_paths: list[str]


def checkpoint_exists(checkpoint_prefix: str | PathLike[str]) -> bool:
    """Whether there is a checkpoint of that name, of this library or of TensorFlow.

    Args:
        checkpoint_prefix: the name of the checkpoint, without a suffix.

    Example:
        >>> import os, tempfile
        >>> import tensordraft as td
        >>> path = os.path.join(tempfile.mkdtemp(), "model")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1.5, 2.5], name="v")
        ...     session.run(v.initializer)
        ...     _ = td.train.Saver().save(session, path)
        >>> td.train.checkpoint_exists(path), td.train.checkpoint_exists(path + "-7")
        (True, False)
    """
    prefix = os.fspath(checkpoint_prefix)
    suffixes = (SUFFIX, _BUNDLE_SUFFIX)
    return any(os.path.exists(prefix + suffix) for suffix in suffixes) or bool(files_of(prefix))


def update_checkpoint_state(
    save_dir: str | PathLike[str],
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
) -> None:
    """Writes which checkpoints a folder has.

    Args:
        save_dir: the folder.
        model_checkpoint_path: the latest checkpoint.
        all_model_checkpoint_paths: all that are kept, the oldest first.
        latest_filename: the name of the file; by default "checkpoint".

    Raises:
        OSError: the file cannot be written.

    Example:
        >>> import os, tempfile
        >>> import tensordraft as td
        >>> folder = tempfile.mkdtemp()
        >>> td.train.update_checkpoint_state(folder, os.path.join(folder, "model-7"))
        >>> with open(os.path.join(folder, "checkpoint")) as file:
        ...     print(file.readline(), end="")
        model_checkpoint_path: "model-7"
    """
    folder = os.fspath(save_dir)
    paths = list(all_model_checkpoint_paths or [])
    if model_checkpoint_path not in paths:
        paths.append(model_checkpoint_path)
    lines = [(_LATEST, model_checkpoint_path), *((_ALL, path) for path in paths)]
    text = "".join(f"{key}: {_quoted(_relative(path, folder))}\n" for key, path in lines)
    with replacing(os.path.join(folder, latest_filename or "checkpoint")) as file:
        file.write(text.encode())


def get_checkpoint_state(
    checkpoint_dir: str | PathLike[str], latest_filename: str | None = None
) -> CheckpointState | None:
    """Which checkpoints a folder has; None if it tells of none.

    Args:
        checkpoint_dir: the folder.
        latest_filename: the name of the file; by default "checkpoint".

    Raises:
        DataLossError: the file is damaged.

    Example:
        >>> import os, tempfile
        >>> import tensordraft as td
        >>> path = os.path.join(tempfile.mkdtemp(), "model")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1.5, 2.5], name="v")
        ...     session.run(v.initializer)
        ...     _ = td.train.Saver().save(session, path)
        >>> state = td.train.get_checkpoint_state(os.path.dirname(path))
        >>> state.model_checkpoint_path == path
        True
    """
    folder = os.fspath(checkpoint_dir)
    path = os.path.join(folder, latest_filename or "checkpoint")
    try:
        lines = read_file(path).decode().splitlines()
    except errors.NotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise errors.DataLossError(None, None, f"{path!r} is no text: {error}") from error
    latest = ""
    paths = []
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() in (_LATEST, _ALL):
            name = os.path.join(folder, _unquoted(value.strip(), path))
            if key.strip() == _LATEST:
                latest = name
            else:
                paths.append(name)
    return CheckpointState(latest, paths) if latest else None


def latest_checkpoint(
    checkpoint_dir: str | PathLike[str], latest_filename: str | None = None
) -> str | None:
    """The name of the latest checkpoint in a folder; None if there is none.

    Args:
        checkpoint_dir: the folder.
        latest_filename: the name of the file that tells; by default "checkpoint".

    Raises:
        DataLossError: that file is damaged.

    Example:
        >>> import tempfile
        >>> import tensordraft as td
        >>> td.train.latest_checkpoint(tempfile.mkdtemp()) is None
        True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not checkpoint_exists(state.model_checkpoint_path):
        return None
    return state.model_checkpoint_path


def _relative(path: str, folder: str) -> str:
    """`path` as seen from the folder, if it is inside, so that the folder can be moved."""
    relative = os.path.relpath(os.path.abspath(path), os.path.abspath(folder))
    return os.path.abspath(path) if relative.startswith(os.pardir) else relative


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _unquoted(text: str, path: str) -> str:
    from google.protobuf import text_encoding

    if len(text) < 2 or text[0] not in "\"'" or text[-1] != text[0]:
        raise errors.DataLossError(None, None, f"{path!r} is damaged: {text!r} is no string")
    try:
        return text_encoding.CUnescape(text[1:-1]).decode()
    except (ValueError, UnicodeDecodeError) as error:
        raise errors.DataLossError(None, None, f"{path!r} is damaged: {error}") from error
