"""Every writer of files, in processes that end at each of its file operations."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from places import TESTS

PROGRAM = Path(__file__).with_name("exiting_writes.py")
OTHERS = [
    "a checkpoint",
    "a checkpoint of version 1",
    "a Saver",
    "a Saver with shards",
    "a Saver of steps with shards",
    "a Checkpoint of objects",
    "a graph",
    "a meta graph",
    "a network",
    "weights",
    "weights in a checkpoint",
    "a copy",
    "machine code",
    "a drawing",
    "results of a run",
    "an optimized graph",
]
ALL = 1000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
@pytest.mark.parametrize(
    ("what", "most"),
    [
        ("a Saver of steps", 4),
        pytest.param("a Saver of steps", ALL, marks=pytest.mark.soak),
        *[pytest.param(what, ALL, marks=pytest.mark.soak) for what in OTHERS],
    ],
)
def test_the_end_of_a_process_leaves_the_old_or_the_new(
    what: str, most: int, tmp_path: Path
) -> None:
    command = [sys.executable, str(PROGRAM), what, str(most), str(tmp_path)]
    paths = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    done = subprocess.run(command, env=paths, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= min(most, 4)
