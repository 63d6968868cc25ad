"""`td.read_file`, `td.write_file`, `td.matching_files`."""

from __future__ import annotations

import glob
import os
from typing import Any

import numpy as np

from ...formats.local_files import told_as_op_error
from ...formats.message_files import read_file as read_whole
from ...graph.api.tensor_like import TensorLike
from ...graph.node import Operation, Tensor
from ...graph.op_def import OpDef
from ...runtime.object_arrays import object_scalar
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits

public = {"td, td.io": "matching_files read_file write_file"}

_READS = Traits(stateful=True, reads_files=True)
READ_FILE = OpDef("ReadFile", "filename: string -> contents: string", traits=_READS)
WRITE_FILE: OpDef[Operation] = OpDef(
    "WriteFile",
    "filename: string, contents: string ->",
    traits=Traits(stateful=True, writes_files=True),
)
MATCHING_FILES = OpDef("MatchingFiles", "pattern: string -> filenames: string", traits=_READS)


@READ_FILE.shape
def _read_file_shape(c: ShapeContext) -> TensorShape:
    c.shape("filename", rank=0)
    return SCALAR


@READ_FILE.kernel
def _read_file_kernel(c: KernelContext) -> Kernel:

    def read(filename: Array) -> Array:
        with told_as_op_error():
            return object_scalar(read_whole(os.fsdecode(filename.item())))

    return read


@WRITE_FILE.shape
def _write_file_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("filename", rank=0)
    c.shape("contents", rank=0)
    return []


@WRITE_FILE.kernel
def _write_file_kernel(c: KernelContext) -> Kernel:

    def write(filename: Array, contents: Array) -> tuple[()]:
        path = os.fsdecode(filename.item())
        with told_as_op_error():
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            with open(path, "wb") as file:
                file.write(contents.item())
        return ()

    return write


@MATCHING_FILES.shape
def _matching_files_shape(c: ShapeContext) -> TensorShape:
    c.shape("pattern", max_rank=1)
    return TensorShape([None])


@MATCHING_FILES.kernel
def _matching_files_kernel(c: KernelContext) -> Kernel:

    def match(pattern: Array) -> Array:
        if pattern.ndim > 1:
            raise ValueError(f"pattern must be a scalar or vector, got {list(pattern.shape)}")
        patterns = [os.fsdecode(item) for item in pattern.ravel().tolist() if item]
        paths = [
            os.fsencode(path) for item in patterns for path in glob.glob(item, include_hidden=True)
        ]
        result = np.empty(len(paths), object)
        result[:] = sorted(paths)
        return result

    return match


def read_file(filename: Any, name: str | None = None) -> Tensor:
    """Contents of a file, as one string; read at each run.

    Args:
        filename: a string scalar.
        name: a name for the op.

    Raises:
        NotFoundError: in a run, there is no such file.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "note")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.write_file(path, "seven"))
        ...     session.run(td.read_file(path))
        b'seven'
    """
    return READ_FILE(filename, name=name)


def write_file(filename: Any, contents: TensorLike, name: str | None = None) -> Operation:
    """An op that writes a string to a file, and makes the folders that it needs.

    Args:
        filename: a string scalar.
        contents: a string scalar.
        name: a name for the op.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "folder", "note")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.write_file(path, "seven"))
        >>> td.gfile.Exists(path)
        True
    """
    return WRITE_FILE(filename, contents, name=name)


def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """The names of the files that match patterns, sorted.

    Args:
        pattern: a pattern with `*`, `?` and `[...]` for parts of a name, or a vector of some.
        name: a name for the op.

    Returns:
        A string vector.

    Example:
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> for name in ("b.txt", "a.txt", "c.png"):
        ...     open(os.path.join(folder, name), "w").close()
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     found = session.run(td.matching_files(folder + "/*.txt"))
        >>> [os.path.basename(path) for path in found]
        [b'a.txt', b'b.txt']
    """
    return MATCHING_FILES(pattern, name=name)
