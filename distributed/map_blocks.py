"""`td.map_blocks`: maps a graph over the chunks of dask arrays, lazily."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import __version__
from ..graph.describe import describe_op
from ..graph.graph import Graph
from ..graph.node import Operation, Tensor
from ..protos.messages import GraphDef
from ..runtime import errors
from ..session.feeds import feed_converter
from ..session.fetches import Fetches
from ..shape_inference.split_parts import OWN, WHOLE
from .dask_parts import Key, dask_array, token
from .dask_tasks import Later, WholeLater
from .engine import Programs, Run
from .report import open_graph, tensors_by_name
from .sizes import RunSizes, even_chunks
from .sources import read_anew
from .stages import Stages, stages_along

public = {"td": "map_blocks"}

SPLIT_BYTES = 32 << 20
"""Maximum size of a chunk of the feeds, for arrays without chunks of their own."""


def map_blocks(
    graph: Graph | GraphDef | str | os.PathLike[str],
    fetches: Any,
    feeds: Mapping[Any, Any],
    along: str = "batch",
    shapes: Mapping[str, Any] | None = None,
    split_bytes: int = SPLIT_BYTES,
) -> Any:
    """Computes a graph on arrays larger than memory, chunk of rows by chunk of rows, with dask.

    Nothing runs until a result is computed, stored or persisted, on the scheduler that dask has
    then: threads of this process, or a cluster. Only arrays and serialized GraphDefs are sent;
    each process plans the graph once. Parts are combined where the graph requires it: a softmax
    over all rows works as well as one within a row.

    Args:
        graph: a Graph, a GraphDef, or the path of a model; without variables.
        fetches: a tensor, its name, or lists, tuples and dicts of these.
        feeds: arrays by tensor, or its name: dask arrays, whose chunks along the size are kept;
            NumPy arrays, memmaps, and datasets of zarr or HDF5, which are read chunk by chunk.
        along: the name of the size to split along: see `td.split_report`.
        shapes: the shapes of inputs, if those in the graph do not have the name.
        split_bytes: maximum size of the chunks of arrays without chunks, in bytes.

    Returns:
        The structure of `fetches` with a lazy dask array for each tensor: of the tensor's dtype,
        in chunks along the axis that is split, or in one.

    Raises:
        ImportError: dask is not installed: `pip install tensordraft[dask]`.
        ValueError: an op needs all rows at once, has state, or calls a function of the program;
            the message names it and the reason. Or arrays do not fit.

    Example:
        >>> with td.Graph().as_default() as graph:
        ...     x = td.placeholder(td.float32, ["batch", 2], name="x")
        ...     y = td.reduce_sum(x, 1, name="y")
        >>> result = td.map_blocks(graph, y, {x: np.ones([6, 2], np.float32)}, split_bytes=16)
        >>> result.chunks, result.dtype, result.compute().tolist()
        (((2, 2, 2),), dtype('float32'), [2.0, 2.0, 2.0, 2.0, 2.0, 2.0])
    """
    opened = open_graph(graph)
    fetched = Fetches(opened, fetches)
    fed = tensors_by_name(opened, feeds)
    sizes = tensors_by_name(opened, shapes)
    stages = stages_along(opened, fetched.elements, along, sizes, [*fed])
    refuse_unfit(stages)
    return fetched.rebuild(_Mapping(stages, fed, split_bytes).results())


def refuse_unfit(stages: Stages) -> None:
    """Rejects graphs that cannot be mapped.

    Raises:
        ValueError: an op needs all rows at once, or has state.
    """
    analysis = stages.analysis
    if analysis.mixed:
        op, reason = analysis.mixed[0]
        raise ValueError(
            f"{describe_op(op)} needs all rows of {analysis.along!r} at once: {reason}; "
            "see td.split_report; td.data_parallel runs such ops once"
        )
    once = [op for stage in stages.whole for op in stage.ops]
    for op in (*analysis.streams, *once):
        if not op.definition.pure and op.outputs:
            raise ValueError(
                f"{describe_op(op)} has state, which tasks do not have: feed its value, freeze "
                "the graph, or use td.data_parallel"
            )
    for item in analysis.fetches:
        if isinstance(item, Operation):
            raise ValueError(f"{item.name!r} is an operation: only tensors can be mapped")


def check_known(tensor: Tensor, value: Any) -> None:
    """Rejects a dask array with unknown chunk sizes.

    Raises:
        ValueError: a size is unknown.
    """
    if any(math.isnan(size) for size in np.shape(value)):
        raise ValueError(
            f"the array fed for {tensor.name!r} has chunks of unknown sizes: call "
            "compute_chunk_sizes() on it first"
        )


class _Mapping:
    """The tasks of one call."""

    def __init__(self, stages: Stages, feeds: Mapping[Tensor, Any], split_bytes: int) -> None:
        self._stages = stages
        self._analysis = stages.analysis
        parts = self._analysis.parts
        self._split = {t: feeds[t] for t in feeds if parts[t].kind == "split"}
        self._whole = {t: feeds[t] for t in feeds if parts[t] == WHOLE}
        for tensor, value in feeds.items():
            check_known(tensor, value)
        shapes = {tensor: np.shape(value) for tensor, value in feeds.items()}
        self._sizes = RunSizes(self._analysis, shapes)
        self._chunks = self._chosen_chunks(split_bytes)
        self._arrays = {tensor: self._blocks(tensor) for tensor in self._split}

    def _chosen_chunks(self, split_bytes: int) -> list[int]:
        """Number of rows of each chunk: from the first dask array, or by size."""
        row_bytes = 0
        for tensor, value in self._split.items():
            axis = self._analysis.parts[tensor].axis
            each = self._sizes.per_row(tensor, axis)
            chunks = getattr(value, "chunks", None)
            own = chunks[axis] if chunks is not None and hasattr(value, "dask") else ()
            if own and all(n % each == 0 for n in own):
                return [int(n) // each for n in own]
            elements = math.prod(np.shape(value)) // max(1, self._sizes.rows)
            row_bytes += elements * tensor.dtype.size
        return even_chunks(self._sizes.rows, row_bytes, split_bytes)

    def _blocks(self, tensor: Tensor) -> Any:
        """A feed as a dask array in the chunks of this call."""
        da = dask_array()
        value, axis = self._split[tensor], self._analysis.parts[tensor].axis
        each = self._sizes.per_row(tensor, axis)
        chunks: list[Any] = [(n,) for n in np.shape(value)]
        chunks[axis] = tuple(n * each for n in self._chunks)
        wanted = tensor.dtype.base_dtype.numpy_dtype
        if hasattr(value, "dask"):
            array = value.rechunk(tuple(chunks))
        else:
            if not hasattr(value, "dtype"):
                value = feed_converter(tensor)(value)
            array = da.from_array(read_anew(value), tuple(chunks), asarray=True)
        return array if array.dtype == wanted else array.astype(wanted)

    def results(self) -> list[Any]:
        """A lazy array for each fetch."""
        programs = Programs(self._stages)
        names = [array.name for array in self._arrays.values()]
        whole = {tensor: _as_value(tensor, value) for tensor, value in self._whole.items()}
        keys = [program.key for program in programs.chunks]
        name = f"tensordraft-{token(keys, names, [*whole.values()], self._fetch_names())}"
        lazy = [value for value in whole.values() if hasattr(value, "dask")]
        tasks = Later(name, [*self._arrays.values(), *lazy])
        keys_of_whole = {t: _one_key(v, tasks) for t, v in whole.items()}
        begun = WholeLater(self._stages, tasks, self._sizes.rows, __version__, keys_of_whole)
        numbers = [i for i, rows in enumerate(self._chunks) if rows] or [0]
        feeds = {t: self._cutter(t, numbers) for t in self._split}
        run = Run(self._stages, programs.chunks, self._chunks, self._sizes, feeds, tasks, begun)
        for tensor, value in keys_of_whole.items():
            run.set_whole(tensor, value)
        run.run()
        return [self._result(item, run, tasks) for item in self._analysis.fetches]

    def _fetch_names(self) -> list[str]:
        return [item.name for item in self._analysis.fetches]

    def _cutter(self, tensor: Tensor, numbers: list[int]) -> Any:
        array, axis = self._arrays[tensor], self._analysis.parts[tensor].axis

        def block(i: int, start: int, stop: int) -> Any:
            place = [0] * array.ndim
            place[axis] = numbers[i]
            return Key((array.name, *place))

        return block

    def _result(self, item: Any, run: Run, tasks: Later) -> Any:
        part, dtype = self._analysis.parts[item], item.dtype.base_dtype.numpy_dtype
        whole = self._sizes.shape(item, self._sizes.rows)
        if part.kind != "split":
            if whole is None:
                raise errors.UnimplementedError(
                    None, item.op, f"the rank of {item.name!r} is not known before the run"
                )
            chunks = tuple((math.nan if size is None else size,) for size in whole)
            value = run.value(item)
            key = tasks.spread(value) if part == OWN else value
            return tasks.array([key], 0, chunks, dtype)
        keys, each = run.parts(self._analysis.made(item)), self._sizes.per_row(item, part.axis)
        kept = list(run.chunks)
        is_sized = whole is not None and None not in whole
        if is_sized and kept != self._chunks:  # chunks without rows are made without running
            filled = iter(keys)
            empty = tuple(0 if k == part.axis else n for k, n in enumerate(whole or ()))
            keys = (
                [
                    next(filled) if rows else tasks.submit(np.zeros, empty, dtype)
                    for rows in self._chunks
                ]
                if self._sizes.rows
                else keys
            )
            kept = list(self._chunks) if self._sizes.rows else kept
        sizes: list[Any] = [(math.nan if n is None else n,) for n in whole or ()]
        sizes[part.axis] = tuple(rows * each for rows in kept)
        return tasks.array(keys, part.axis, tuple(sizes), dtype)


def _as_value(tensor: Tensor, value: Any) -> Any:
    """A feed that is passed whole: an array, or a dask array in one chunk."""
    return value.rechunk(-1) if hasattr(value, "dask") else feed_converter(tensor)(value)


def _one_key(value: Any, tasks: Later) -> Any:
    if hasattr(value, "dask"):
        return Key((value.name, *[0] * value.ndim))
    return tasks.spread(value)
