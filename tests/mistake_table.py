"""The table of mistakes: code that a user may write, and what is said to it, word by word.

`python tests/mistake_table.py` rewrites the messages; read the difference.
"""

from __future__ import annotations

import os
import pickle
import re
import tempfile
import warnings
import zipfile
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLE = Path(__file__).parent / "graph" / "api" / "mistakes.txt"


class Mistake(NamedTuple):
    """A line of a user's program and the error message for it."""

    code: str
    message: str


def parts() -> list[str]:
    """The paragraphs of the table."""
    return TABLE.read_text().strip().split("\n\n")


def mistake(part: str) -> Mistake | None:
    """The mistake that a paragraph is about; None for a heading."""
    if not part.startswith(">>> "):
        return None
    code, _, message = part.removeprefix(">>> ").partition("\n")
    return Mistake(code, message)


class Table:
    """A sparse matrix, as far as one can see: SciPy's are known by their method."""

    def toarray(self) -> np.ndarray[Any, Any]:
        """The matrix with its zeros."""
        return np.eye(3)


def write_files() -> None:
    """Files of several kinds, in the working folder."""
    Path("text.txt").write_text("Dear reader,\n")
    np.save("array.npy", np.ones(3))
    with zipfile.ZipFile("archive.zip", "w") as archive:
        archive.writestr("a", "b")
    Path("picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
    Path("model.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(20))
    Path("empty.pb").write_bytes(b"")
    Path("folder").mkdir()
    Path("other").mkdir()
    with td.Graph().as_default() as graph, td.Session() as session:
        td.get_variable("other", [2])
        session.run(td.global_variables_initializer())
        td.train.Saver().save(session, "other/model")
    data = graph.as_graph_def().SerializeToString()
    Path("half.pb").write_bytes(data[: len(data) // 2])


def said(code: str) -> str:
    """Error message for a line of a program, with the class of the error."""
    with (
        tempfile.TemporaryDirectory() as folder,
        chdir(folder),
        warnings.catch_warnings(),
        td.Graph().as_default() as graph,
        td.Session() as session,
    ):
        warnings.simplefilter("ignore")
        write_files()
        names: dict[str, Any] = {"td": td, "np": np, "pickle": pickle, "sparse": Table()}
        names |= {"graph": graph, "session": session, "__name__": "program"}
        first = """
x = td.placeholder(td.float32, [None, 3], name="x")
n = td.placeholder(td.int32, [], name="n")
s = td.placeholder(td.string, name="s")
images = td.placeholder(td.float32, ["batch", 8, 8, 3], name="images")
v = td.Variable([1.0, 2.0, 3.0], name="v")
loss = td.reduce_sum(v)
with td.Graph().as_default():
    foreign = td.placeholder(td.float32, [], name="foreign")
closed = td.Session()
closed.close()
"""
        exec(compile(first, os.path.abspath("model.py"), "exec"), names)  # noqa: S102 - the programs
        try:
            exec(compile(code, os.path.abspath("program.py"), "exec"), names)  # noqa: S102
        except Exception as error:  # noqa: BLE001 - of any kind
            text = f"{type(error).__name__}: {error}"
            return re.sub(
                r"0x[0-9a-f]+", "0x…", text.replace(os.path.abspath("."), "…").replace("\n\n", "\n")
            )
    return "(nothing)"


def written() -> Iterator[str]:
    """The paragraphs of the table as they would be now."""
    for part in parts():
        item = mistake(part)
        yield part if item is None else f">>> {item.code}\n{said(item.code)}"


if __name__ == "__main__":
    TABLE.write_text("\n\n".join(written()) + "\n")
