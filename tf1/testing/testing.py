"""Test helpers beside `td.test.TestCase`: folders, stubs, comparisons."""

from __future__ import annotations

import os
import sys
import tempfile
import unittest
from collections.abc import Sequence
from typing import Any, Self
from unittest import mock as mock  # noqa: PLC0414 - public: programs find it here

public = {
    "td.test": (
        "StubOutForTesting assert_equal_graph_def create_local_cluster get_temp_dir "
        "gpu_device_name is_built_with_cuda is_built_with_gpu_support is_built_with_rocm "
        "is_built_with_xla is_gpu_available main mock test_src_dir_path"
    ),
}

_folders: list[str] = []


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the tests of the program's module, as `unittest.main` does.

    Args:
        argv: the arguments of the command line; by default those of the program.

    Example:
        >>> td.test.main  # doctest: +ELLIPSIS
        <function main at ...>
    """
    unittest.main(module="__main__", argv=list(argv) if argv else None)


def get_temp_dir() -> str:
    """A folder for what tests write; one for the whole program.

    Example:
        >>> import os
        >>> os.path.isdir(td.test.get_temp_dir())
        True
    """
    if not _folders:
        _folders.append(tempfile.mkdtemp(prefix="tensordraft-test-"))
    return _folders[0]


def test_src_dir_path(relative_path: str) -> str:
    """The path of a file beside the program.

    Args:
        relative_path: the path from the program's folder.

    Example:
        >>> td.test.test_src_dir_path("data/x.txt").endswith("data/x.txt")
        True
    """
    return os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), relative_path)


def is_built_with_cuda() -> bool:
    """True if there are kernels for GPUs: never.

    Example:
        >>> td.test.is_built_with_cuda(), td.test.is_gpu_available(), td.test.gpu_device_name()
        (False, False, '')
    """
    return False


is_built_with_gpu_support = is_built_with_rocm = is_built_with_xla = is_built_with_cuda


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """True if there is a GPU to run on: never.

    Args:
        cuda_only: accepted for TensorFlow's sake.
        min_cuda_compute_capability: accepted.

    Example:
        >>> td.test.is_gpu_available()
        False
    """
    return False


def gpu_device_name() -> str:
    """The name of the GPU: "", as there is none.

    Example:
        >>> td.test.gpu_device_name()
        ''
    """
    return ""


def create_local_cluster(num_workers: int, num_ps: int, **settings: Any) -> Any:
    """Raises UnimplementedError: sessions run in this process, and may share a `td.train.Server`.

    Raises:
        NotImplementedError: always.

    Example:
        >>> try:
        ...     td.test.create_local_cluster(2, 1)
        ... except NotImplementedError as error:
        ...     print(str(error).partition(";")[0])
        there is no cluster of 2 workers and 1 parameter servers here
    """
    raise NotImplementedError(
        f"there is no cluster of {num_workers} workers and {num_ps} parameter servers here; make a "
        "td.train.Server.create_local_server()"
    )


def assert_equal_graph_def(actual: Any, expected: Any, checkpoint_v2: bool = False) -> None:
    """Checks that two GraphDefs hold the same nodes, in whatever order.

    Args:
        actual: a GraphDef.
        expected: another.
        checkpoint_v2: accepted for TensorFlow's sake.

    Raises:
        AssertionError: they differ.

    Example:
        >>> with td.Graph().as_default() as graph:
        ...     x = td.constant(1)
        >>> td.test.assert_equal_graph_def(graph.as_graph_def(), graph.as_graph_def())
    """
    found, wanted = ({node.name: node for node in one.node} for one in (actual, expected))
    if found.keys() != wanted.keys():
        raise AssertionError(
            f"the nodes differ: only in one are {sorted(found.keys() ^ wanted.keys())}"
        )
    for name, node in found.items():
        if node != wanted[name]:
            raise AssertionError(f"the node {name!r} differs: {node} and {wanted[name]}")


class StubOutForTesting:
    """Puts something else in the place of attributes, and takes it back.

    Example:
        >>> import math
        >>> with td.test.StubOutForTesting() as stubs:
        ...     stubs.Set(math, "floor", lambda x: 7)
        ...     math.floor(0.5)
        7
        >>> math.floor(0.5)
        0
    """

    def __init__(self) -> None:
        self._sets: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.CleanUp()

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:
        """Sets an attribute, until `CleanUp`."""
        self._sets.append((parent, child_name, getattr(parent, child_name)))
        setattr(parent, child_name, new_child)

    SmartSet = Set

    def UnsetAll(self) -> None:
        """Restores all attributes."""
        for parent, name, old in reversed(self._sets):
            setattr(parent, name, old)
        self._sets.clear()

    CleanUp = SmartUnsetAll = UnsetAll
