"""A program that ends in the middle of a writer, at each file operation, in children of its own.

Usage: python exiting_writes.py WRITER MOST FOLDER. The children are forked from a process that has
no threads yet; what they leave is read by others, as after a crash. It prints how many ended so.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from failing_files import EXIT_STATUS, failing
from test_failing_writes import WRITERS, _names  # type: ignore[import-not-found]

import tensordraft as td


def _in_a_child(work: Callable[[], None]) -> int:
    """The exit status of a child that does the work; 1 if it raises."""
    child = os.fork()
    if not child:
        status = 1
        try:
            work()
            status = 0
        finally:
            if status:
                traceback.print_exc()
                sys.stderr.flush()
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(what: str, most: int, root: Path) -> None:
    writer = WRITERS[what]
    vars(os)["fsync"] = lambda fd: None  # it takes long
    with td.Graph().as_default():  # what is loaded once is loaded before the children are made
        _ = td.train.Checkpoint(v=td.Variable(0.0)).save_counter
        td.train.Saver()

    def write_whole() -> None:
        clean = root / "clean"
        clean.mkdir()
        state = writer.prepare(clean)
        writer.write(state, clean, 1)
        with failing(None) as operations:
            writer.write(state, clean, 2)
        writer.write(state, clean, 3)
        (root / "names").write_text("\n".join([str(operations.count), *_names(clean)]))

    assert _in_a_child(write_whole) == 0
    count, *expected = (root / "names").read_text().splitlines()
    ended = 0
    for number in range(0, int(count), -(-int(count) // most)):
        folder = root / str(number)
        folder.mkdir()

        def write_and_end(folder: Path = folder, number: int = number) -> None:
            state = writer.prepare(folder)
            writer.write(state, folder, 1)
            with failing(number, "exit"):
                writer.write(state, folder, 2)

        def go_on(folder: Path = folder) -> None:
            state = writer.prepare(folder)
            assert writer.read(state, folder) in (1, 2)
            writer.write(state, folder, 3)
            assert writer.read(state, folder) == 3
            # Another process leaves the steps of the one before, as in TensorFlow.
            names = [name for name in _names(folder) if not re.match(r"model-[12]\.", name)]
            assert names == expected, (names, expected)

        assert _in_a_child(write_and_end) == EXIT_STATUS, number
        assert _in_a_child(go_on) == 0, number
        ended += 1
    sys.stdout.write(str(ended))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
