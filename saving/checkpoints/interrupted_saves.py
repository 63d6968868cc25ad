"""Records of saves in progress, by which the next save finds leftovers of an interrupted one.

A note lies beside the file `checkpoint` while a save runs. It names the checkpoint that is written,
and those that are removed for it. The process that saves locks it: a note without a lock is one of
a save that was killed or failed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from ...formats.checkpoints.checkpoint_state import names_beside
from ...formats.replacement import leftovers, opened_beside

_SUFFIX = ".saving"


@contextmanager
def noted(state: str, unlisted: Sequence[str], doomed: Sequence[str]) -> Iterator[None]:
    """Notes which checkpoints a `with` block writes and removes, until it ends well.

    Notes of interrupted saves are removed, so that `unlisted` has to contain what they name.

    Args:
        state: the path of the file `checkpoint`.
        unlisted: the checkpoints of which nothing else knows if the block fails.
        doomed: those that it removes at its end.

    Raises:
        OSError: the note cannot be written.
    """
    old = _notes(state)
    file, path = opened_beside(os.path.abspath(state), 0o666, _SUFFIX)
    with file:
        names = map(os.path.basename, (*unlisted, *doomed))
        try:
            file.write(b"\0".join(map(os.fsencode, names)))
            file.flush()
        except BaseException:
            _remove(path)
            raise
        for note in old:
            _remove(note)
        try:
            yield
        except BaseException:
            if not any(map(names_beside, unlisted)):
                _remove(path)
            raise
        _remove(path)


def interrupted(state: str) -> list[str]:
    """Returns the checkpoints that interrupted saves have left, as far as they have files.

    Args:
        state: the path of the file `checkpoint`.
    """
    folder, found = os.path.dirname(state), list[str]()
    for note in _notes(state):
        with suppress(OSError), open(note, "rb") as file:
            names = filter(None, file.read().split(b"\0"))
            found += [os.path.join(folder, os.fsdecode(name)) for name in names]
    return [prefix for prefix in dict.fromkeys(found) if names_beside(prefix)]


def _notes(state: str) -> list[str]:
    """The notes that belong to a file `checkpoint`, and are not locked."""
    folder, name = os.path.split(state)
    with suppress(OSError):
        left = list(leftovers(folder or ".", _SUFFIX))
        return [path for path in left if os.path.basename(path).startswith(f".{name}.")]
    return []


def _remove(path: str) -> None:
    with suppress(OSError):
        os.remove(path)
