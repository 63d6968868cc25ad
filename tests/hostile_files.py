"""Everything that can be done with a graph file at once, and a judge of how it ends."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

import tensordraft as td
from tensordraft import graph_util
from tensordraft.graph.importing.importer import import_whole

PACKAGE = os.path.dirname(os.path.abspath(td.__file__)) + os.sep
TESTS = os.path.join(PACKAGE, "tests") + os.sep
MOST_BYTES = 1 << 20
MOST_NODES = 2_000
MOST_RUNS = 20
MOST_ELEMENTS = 1_000
MOST_DIMENSIONS = 32


class LeakError(AssertionError):
    """An error that no `raise` of ours has raised, or one of a class that is not documented."""


def drive(data: bytes) -> None:
    """Parses, imports, checks, edits and runs what `data` holds.

    Raises:
        LeakError: something ended in an error that is not one of ours.
    """
    try:
        graph_def = td.GraphDef.FromString(data)
    except DecodeError:
        return
    drive_graph_def(graph_def)


def drive_graph_def(graph_def: td.GraphDef) -> None:
    """As `drive`, for a message."""
    with _small_limits(), np.errstate(all="ignore"):
        _judged(lambda: str(td.check_graph(graph_def)))
        for edit in (
            graph_util.fold_constants,
            graph_util.remove_training_nodes,
            graph_util.strip,
            lambda whole: graph_util.extract_sub_graph(whole, [whole.node[0].name]),
            lambda whole: graph_util.rename(whole, lambda name: f"a/{name}"),
            lambda whole: graph_util.diff(whole, graph_def),
        ):
            if graph_def.node:
                _judged(lambda edit=edit: edit(graph_def))  # type: ignore[misc]
        graph = _judged(lambda: import_whole(graph_def))
        if graph is not None:
            _judged(lambda: graph.as_graph_def(add_shapes=True, strip_default_attrs=True))
            for op in graph.get_operations()[-MOST_RUNS:]:
                _judged(lambda op=op: _run(graph, op))  # type: ignore[misc]
        _judged(_still_works)


def _run(graph: td.Graph, op: td.Operation) -> Any:
    """Runs `op` with twos in every placeholder, unknown sizes being two as well."""
    feeds = {}
    for other in graph.get_operations():
        tensor = other.outputs[0] if other.type.startswith("Placeholder") else None
        if (
            tensor is not None
            and tensor.dtype.is_numpy_compatible
            and tensor.shape.ndims is not None
            and tensor.shape.ndims <= MOST_DIMENSIONS
        ):
            shape = [size if size is not None else 2 for size in tensor.shape.as_list()]
            if math.prod(max(size, 1) for size in shape) <= MOST_ELEMENTS:
                feeds[tensor] = np.full(shape, 2).astype(tensor.dtype.as_numpy_dtype)
    with td.Session(graph=graph) as session:
        return session.run(op.outputs or op, feeds)


def _still_works() -> None:
    with td.Graph().as_default(), td.Session() as session:
        assert session.run(td.constant(1) + 2) == 3


@contextmanager
def _small_limits() -> Iterator[None]:
    config = td.config
    before = dict(vars(config))
    config.max_tensor_bytes, config.max_graph_nodes = MOST_BYTES, MOST_NODES
    config.max_op_tensors = 1_000
    try:
        yield
    finally:
        vars(config).update(before)


def _judged(action: Callable[[], Any]) -> Any:
    """The result of `action`; None where it ends in an error of ours."""
    try:
        return action()
    except td.errors.InternalError as error:
        raise LeakError(f"a defect: {error}") from error
    except td.errors.OpError:
        return None
    except (ValueError, TypeError) as error:
        if _is_ours(error.__traceback__):
            return None
        raise LeakError(f"{type(error).__name__} leaked: {error}") from error
    except Exception as error:
        raise LeakError(f"{type(error).__name__}: {error}") from error


def _is_ours(traceback: TracebackType | None) -> bool:
    file = ""
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        traceback = traceback.tb_next
    return file.startswith(PACKAGE) and not file.startswith(TESTS)
