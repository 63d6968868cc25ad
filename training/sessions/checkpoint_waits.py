"""Waiting for the checkpoints that another process writes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from ...formats.checkpoints.checkpoint_state import latest_checkpoint

public = {
    "td.train, td.contrib.training, td.contrib.slim.evaluation": "checkpoints_iterator",
    "td.contrib.training, td.contrib.slim.evaluation": "wait_for_new_checkpoint",
}


def wait_for_new_checkpoint(
    checkpoint_dir: str,
    last_checkpoint: str | None = None,
    seconds_to_sleep: float = 1,
    timeout: float | None = None,
) -> str | None:
    """Waits until a folder has another latest checkpoint than before.

    Args:
        checkpoint_dir: the folder.
        last_checkpoint: the checkpoint that is not new; None for none.
        seconds_to_sleep: how long from one look to the next, in seconds.
        timeout: how many seconds to wait at most; None for no limit.

    Returns:
        The name of the checkpoint; None where there was none in time.

    Example:
        >>> import tempfile
        >>> td.contrib.training.wait_for_new_checkpoint(tempfile.mkdtemp(), timeout=0) is None
        True
    """
    ends = None if timeout is None else time.monotonic() + timeout
    while True:
        path = latest_checkpoint(checkpoint_dir)
        if path is not None and path != last_checkpoint:
            return path
        if ends is not None and time.monotonic() + seconds_to_sleep > ends:
            return None
        time.sleep(seconds_to_sleep)


def checkpoints_iterator(
    checkpoint_dir: str,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """The latest checkpoints of a folder, one after the other, as they are written.

    What is written while one is worked on is passed over, but for the latest.

    Args:
        checkpoint_dir: the folder.
        min_interval_secs: the least number of seconds from one to the next.
        timeout: how many seconds to wait for the next; None for no limit.
        timeout_fn: called when the time is over: True to end, False to wait again. Without it
            the iteration ends.

    Yields:
        The names of checkpoints.

    Example:
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable(1)
        ...     session.run(v.initializer)
        ...     _ = td.train.Saver().save(session, os.path.join(folder, "model"), 5)
        >>> [os.path.basename(path) for path in td.train.checkpoints_iterator(folder, timeout=0)]
        ['model-5']
    """
    last = None
    while True:
        path = wait_for_new_checkpoint(checkpoint_dir, last, timeout=timeout)
        if path is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        start, last = time.monotonic(), path
        yield path
        rest = start + min_interval_secs - time.monotonic()
        if rest > 0:
            time.sleep(rest)
