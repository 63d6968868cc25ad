"""Code of workers: runs programs on arrays; each process plans a program once and caches it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from .. import __version__
from ..graph.graph import Graph
from ..graph.importing.importer import import_graph_def
from ..ops.debugging.py_func import give_function
from ..protos.messages import GraphDef
from ..runtime import errors
from ..session.session import Session
from .python_functions import imported
from .stage_graph import Program

_MOST_PROGRAMS = 32
_lock = threading.Lock()
_callables: OrderedDict[str, Callable[..., Any]] = OrderedDict()


class ChunkError(RuntimeError):
    """An op failed on a chunk.

    Args:
        code: the class in `td.errors`, by name.
        message: the error text.
        node: the name of the op, or None.
        rows: the rows of the chunk.
    """

    def __init__(self, code: str, message: str, node: str | None, rows: str) -> None:
        super().__init__(code, message, node, rows)
        self.code, self.message, self.node, self.rows = code, message, node, rows

    def __str__(self) -> str:
        return f"{self.code}: {self.message}\n  {self.rows}"


def run_chunk(program: Program, place: tuple[int, int], *arrays: Any) -> list[Any]:
    """The results of a program on one chunk: the task that workers run.

    Args:
        program: the program.
        place: the first row, and the one after the last.
        arrays: the feeds.

    Raises:
        ChunkError: an op failed, or the program was made by another version of tensordraft.
    """
    node = None
    try:
        call = _callables.get(program.key) or _planned(program)
        results: list[Any] = call(*arrays)
    except errors.OpError as error:
        code, message = type(error).__name__, error.message
        node = None if error.op is None else error.op.name
    except MemoryError as error:
        code, message = "ResourceExhaustedError", str(error) or "out of memory"
    except (ValueError, TypeError, RuntimeError) as error:
        code = "InternalError" if isinstance(error, RuntimeError) else "InvalidArgumentError"
        message = str(error)
    else:
        return results
    if node is not None:
        line = f"  in {dict(program.lines).get(node, repr(node))}"
        parts = message.split("\n")
        message = "\n".join(line if part.startswith(f"  in {node!r} ") else part for part in parts)
    first, end = place
    rows = f"in rows {first} to {end - 1}" if end > first else "in no rows"
    raise ChunkError(code, message, node, rows)


def run_for_one(program: Program, place: tuple[int, int], *arrays: Any) -> Any:
    """Like `run_chunk`, for a program with a single result, which is returned."""
    return run_chunk(program, place, *arrays)[0]


def _planned(program: Program) -> Callable[..., Any]:
    """The runner of a program, made on first use."""
    check_version(program.version)
    with _lock:
        call = _callables.get(program.key)
        if call is None:
            graph = Graph()
            with graph.as_default():
                import_graph_def(GraphDef.FromString(program.graph_def), name="")
            for name, function in program.functions:
                give_function(graph.get_operation_by_name(name), imported(function))
            session = Session(graph=graph)
            call = session.make_callable(list(program.fetches), list(program.feeds))
            while len(_callables) >= _MOST_PROGRAMS:
                _callables.popitem(last=False)
            _callables[program.key] = call
    return call


def check_version(version: str) -> None:
    """Checks that the version of the driver is that of this worker.

    Raises:
        RuntimeError: the versions differ.
    """
    if version != __version__:
        raise RuntimeError(
            f"the driver has tensordraft {version}, this worker {__version__}: install one version "
            "on all machines"
        )
