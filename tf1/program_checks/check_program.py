"""Checks of programs before long runs: their graphs, and each `Session.run`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .program_report import ProgramReport

public = {"td": "check_program"}

_PROCESS = f"{__package__}.checked_process"
_GRACE = 60.0  # seconds, for starting and for writing the report


def check_program(
    path: str | os.PathLike[str],
    arguments: Sequence[str] = (),
    runs: int = 3,
    seconds: float = 120.0,
    show_output: bool = False,
) -> ProgramReport:
    """Runs a program with sessions that infer only dtypes and shapes, and reports failures.

    It runs in a process of its own, as with `tensordraft python`. Expensive ops are not computed:
    read-only zeros of the right dtype and shape replace their results. Variables, queues, tables
    and records are as in any run; small tensors are computed. A loop ends with the first iteration
    whose runs have all been made often enough. Files are written to a folder that is removed
    afterwards; the network and other processes are refused.

    Args:
        path: the program.
        arguments: its command-line arguments.
        runs: how often each distinct run, of the same fetches and feeds of the same shapes, is
            worked out.
        seconds: how long the program may take in all.
        show_output: whether to show the output of the program.

    Returns:
        A ProgramReport.

    Raises:
        FileNotFoundError, ValueError: there is no such program; `runs` or `seconds` are not
            positive.
        RuntimeError: the process ended without a report, as by a crash of a library.

    Example:
        >>> import tempfile, pathlib
        >>> program = '''import numpy as np, tensorflow as tf
        ... x = tf.placeholder(tf.float32, [None, 784], name="x")
        ... y = tf.layers.dense(x, 10)
        ... with tf.Session() as session:
        ...     session.run(tf.global_variables_initializer())
        ...     for step in range(1_000_000):
        ...         session.run(y, {x: np.zeros([128, 28, 28])})
        ... '''
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "train.py")
        ...     _ = path.write_text(program)
        ...     [finding] = td.check_program(path).findings
        >>> finding.line, finding.text[:50]
        (7, 'ValueError: Cannot feed value of shape (128, 28, 2')
    """
    program = os.fsdecode(path)
    Path(program).stat()
    if runs < 1 or seconds <= 0:
        raise ValueError(f"runs and seconds must be positive, got {runs} and {seconds}")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "report.json")
        scratch = str(Path(folder, "scratch"))
        command = [program, str(target), scratch, *map(json.dumps, ([runs, seconds], [*arguments]))]
        output = None if show_output else subprocess.DEVNULL
        subprocess.run(  # noqa: S603 - this interpreter
            [sys.executable, "-B", "-m", _PROCESS, *command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            timeout=seconds + _GRACE,
            check=False,
        )
        try:
            return ProgramReport.from_json(target.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            message = f"{program}: the process of the check ended without a report"
            raise RuntimeError(message) from None
