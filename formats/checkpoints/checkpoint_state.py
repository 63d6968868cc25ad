"""The file `checkpoint` in a folder, which names the checkpoints there: TensorFlow's, as text."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from inspect import cleandoc
from os import PathLike
from typing import Any, TypeVar

from ...protos.messages import CheckpointState, SaverDef
from ...runtime import errors
from ..message_files import read_file
from ..replacement import replacing
from .bundle_index import SUFFIX as INDEX_SUFFIX
from .checkpoint_file import SUFFIX
from .v1_checkpoint import files_of

public = {
    "td.train": (
        "checkpoint_exists generate_checkpoint_state_proto get_checkpoint_mtimes "
        "get_checkpoint_state latest_checkpoint remove_checkpoint update_checkpoint_state"
    ),
}

Function = TypeVar("Function", bound=Callable[..., Any])

_SHARDED = re.compile(r"-[0-9?]{5}-of-[0-9]{5}$")  # of the names that version 1 has
_DATA = re.compile(r"\.data-.....-of-.....$")
_PARTS = re.compile(r"_temp(_[0-9a-f]{32})?$")
_SAVE = """\
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model")
    >>> with td.Graph().as_default(), td.Session() as session:
    ...     v = td.Variable([1.5, 2.5], name="v")
    ...     session.run(v.initializer)
    ...     _ = td.train.Saver().save(session, path)
"""


def after_saving(function: Function) -> Function:
    """A decorator: the example of a docstring begins with a save, to the checkpoint `path`."""
    doc = cleandoc(function.__doc__ or "")
    function.__doc__ = doc.replace("Example:\n", f"Example:\n{_SAVE}")
    return function


@after_saving
def checkpoint_exists(checkpoint_prefix: str | PathLike[str]) -> bool:
    """Returns whether there is a checkpoint of that name, of this library or of TensorFlow.

    Args:
        checkpoint_prefix: the name of the checkpoint, without a suffix.

    Example:
        >>> td.train.checkpoint_exists(path), td.train.checkpoint_exists(path + "-7")
        (True, False)
    """
    prefix = os.fsdecode(checkpoint_prefix)
    suffixes = (INDEX_SUFFIX, SUFFIX)
    return any(os.path.exists(prefix + suffix) for suffix in suffixes) or bool(files_of(prefix))


def generate_checkpoint_state_proto(
    save_dir: str | PathLike[str],
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> CheckpointState:
    """Contents of the file `checkpoint` of a folder, as a message.

    Args:
        save_dir: the folder.
        model_checkpoint_path: the latest checkpoint.
        all_model_checkpoint_paths: all that are kept, the oldest first.
        all_model_checkpoint_timestamps: when each was made, in seconds since 1970.
        last_preserved_timestamp: when the last one was made that is kept for good.

    Returns:
        The message. Unlike TensorFlow's, all paths inside the folder are relative to it, so that
        the folder can be moved.

    Raises:
        ValueError: there are not as many times as checkpoints.

    Example:
        >>> state = td.train.generate_checkpoint_state_proto("run", "run/model-7")
        >>> state.model_checkpoint_path
        'model-7'
    """
    folder = os.fsdecode(save_dir)
    paths = list(all_model_checkpoint_paths or [])
    if not paths or paths[-1] != model_checkpoint_path:
        paths.append(model_checkpoint_path)
    times = list(all_model_checkpoint_timestamps or [])
    if times and len(times) != len(paths):
        raise ValueError(
            f"all_model_checkpoint_timestamps has {len(times)} times for {len(paths)} checkpoints"
        )
    return CheckpointState(
        model_checkpoint_path=_relative(model_checkpoint_path, folder),
        all_model_checkpoint_paths=[_relative(path, folder) for path in paths],
        all_model_checkpoint_timestamps=times,
        last_preserved_timestamp=last_preserved_timestamp,
    )


def update_checkpoint_state(
    save_dir: str | PathLike[str],
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes which checkpoints a folder has.

    Args:
        save_dir: the folder.
        model_checkpoint_path: the latest checkpoint.
        all_model_checkpoint_paths: all that are kept, the oldest first.
        latest_filename: the name of the file; by default "checkpoint".
        all_model_checkpoint_timestamps: when each was made, in seconds since 1970.
        last_preserved_timestamp: when the last one was made that is kept for good.

    Raises:
        ValueError: there are not as many times as checkpoints.
        RuntimeError: the latest checkpoint is called as the file is.
        OSError: the file cannot be written.

    Example:
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> td.train.update_checkpoint_state(folder, os.path.join(folder, "model-7"))
        >>> with open(os.path.join(folder, "checkpoint")) as file:
        ...     print(file.readline(), end="")
        model_checkpoint_path: "model-7"
    """
    from google.protobuf import text_format

    state = generate_checkpoint_state_proto(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )
    path = os.path.join(os.fsdecode(save_dir), latest_filename or "checkpoint")
    if os.path.abspath(path) == os.path.abspath(model_checkpoint_path):
        raise RuntimeError(
            f"the checkpoint {path!r} has the name of the file that lists checkpoints"
        )
    with replacing(path) as file:
        file.write(text_format.MessageToString(state).encode())


@after_saving
def get_checkpoint_state(
    checkpoint_dir: str | PathLike[str], latest_filename: str | None = None
) -> CheckpointState | None:
    """Checkpoints of a folder; None if it lists none.

    Args:
        checkpoint_dir: the folder.
        latest_filename: the name of the file; by default "checkpoint".

    Returns:
        The message, whose paths begin with `checkpoint_dir` where the file has relative ones.

    Raises:
        DataLossError: the file is damaged. TensorFlow takes it for absent, so that training begins
            again.

    Example:
        >>> state = td.train.get_checkpoint_state(os.path.dirname(path))
        >>> state.model_checkpoint_path == path
        True
    """
    from google.protobuf import text_format

    folder = os.fsdecode(checkpoint_dir)
    path = os.path.join(folder, latest_filename or "checkpoint")
    try:
        text = read_file(path).decode()
    except errors.NotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise errors.DataLossError(None, None, f"{path!r} is not text: {error}") from error
    try:
        state = text_format.Parse(text, CheckpointState())
    except text_format.ParseError as error:
        raise errors.DataLossError(None, None, f"{path!r} is damaged: {error}") from error
    if not state.model_checkpoint_path:
        return None
    state.model_checkpoint_path = os.path.join(folder, state.model_checkpoint_path)
    paths = state.all_model_checkpoint_paths
    paths[:] = [os.path.join(folder, item) for item in paths]
    return state


def latest_checkpoint(
    checkpoint_dir: str | PathLike[str], latest_filename: str | None = None
) -> str | None:
    """The name of the latest checkpoint in a folder; None if there is none.

    Args:
        checkpoint_dir: the folder.
        latest_filename: the name of the file that lists checkpoints; by default "checkpoint".

    Raises:
        DataLossError: that file is damaged.

    Example:
        >>> import tempfile
        >>> td.train.latest_checkpoint(tempfile.mkdtemp()) is None
        True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not checkpoint_exists(state.model_checkpoint_path):
        return None
    return state.model_checkpoint_path


def get_checkpoint_mtimes(checkpoint_prefixes: Iterable[str | PathLike[str]]) -> list[float]:
    """Modification times of existing checkpoints, in seconds since 1970.

    Args:
        checkpoint_prefixes: the names of the checkpoints, without a suffix.

    Example:
        >>> td.train.get_checkpoint_mtimes(["no such checkpoint"])
        []
    """
    times = []
    for prefix in [os.fsdecode(prefix) for prefix in checkpoint_prefixes]:
        for path in (prefix + INDEX_SUFFIX, prefix + SUFFIX, *files_of(prefix)):
            with suppress(FileNotFoundError):
                times.append(os.stat(path).st_mtime)
                break
    return times


@after_saving
def remove_checkpoint(
    checkpoint_prefix: str | PathLike[str],
    checkpoint_format_version: int = SaverDef.V2,
    meta_graph_suffix: str = "meta",
) -> None:
    """Deletes the files of a checkpoint, and its graph.

    Args:
        checkpoint_prefix: the name of the checkpoint, without a suffix.
        checkpoint_format_version: ignored: the format is detected from the files.
        meta_graph_suffix: how the file with the graph ends.

    Raises:
        OSError: a file cannot be deleted.

    Example:
        >>> td.train.remove_checkpoint(path)
        >>> os.listdir(os.path.dirname(path))
        ['checkpoint']
    """
    prefix = os.fsdecode(checkpoint_prefix)
    # The index goes first: from then on there is no checkpoint, and no half of one.
    paths = [prefix + INDEX_SUFFIX, prefix + SUFFIX, *files_of(prefix)]
    beside = names_beside(prefix)
    paths += [path for path in beside if _DATA.search(path)]
    # Of a save with shards that was killed: TensorFlow's names, of 1.15 and of before.
    folders = [path for path in beside if _PARTS.search(path)]
    for folder in folders:
        paths += [os.path.join(folder, name) for name in os.listdir(folder) if "part-" in name]
    for path in (*paths, f"{_SHARDED.sub('', prefix)}.{meta_graph_suffix}"):
        with suppress(FileNotFoundError):
            os.remove(path)
    for folder in folders:
        with suppress(OSError):  # it holds something else
            os.rmdir(folder)


def names_beside(prefix: str) -> list[str]:
    """Paths in the folder of a checkpoint that begin with its name and a suffix.

    Raises:
        OSError: the folder cannot be read.
    """
    folder, name = os.path.split(prefix)
    starts = (f"{name}.", f"{name}_temp")
    try:
        found = os.listdir(folder or ".")
    except FileNotFoundError:
        return []
    return [os.path.join(folder, item) for item in found if item.startswith(starts)]


def _relative(path: str, folder: str) -> str:
    """`path` as seen from the folder, if it is inside, so that the folder can be moved."""
    if os.path.isabs(folder) and not os.path.isabs(path):
        return path
    relative = os.path.relpath(os.path.abspath(path), os.path.abspath(folder))
    return os.path.abspath(path) if relative.startswith(os.pardir) else relative
