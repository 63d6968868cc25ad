"""Tasks of a dask graph: nothing runs until a result is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..graph.node import Tensor
from ..shape_inference.split_parts import WHOLE
from .combining import joined
from .dask_parts import Key, alias, data, lazy_array, task
from .stage_graph import program_of
from .stages import Stages
from .worker import run_chunk


class Later:
    """Tasks as the layer of a dask graph.

    Args:
        name: prefix of its keys; the same for the same tasks.
        sources: the collections that the tasks read.
    """

    def __init__(self, name: str, sources: Sequence[Any]) -> None:
        self._name = name
        self._sources = list(sources)
        self._layer: dict[Any, Any] = {}
        self._arrays = 0

    def submit(self, function: Callable[..., Any], *args: Any) -> Key:
        """A key for the result of a function."""
        key = (self._name, len(self._layer))
        self._layer[key] = task(key, function, *args)
        return Key(key)

    def spread(self, value: Any, name: str = "") -> Key:
        """A key for a value that many tasks need."""
        if isinstance(value, Key):
            return value
        key = (self._name, len(self._layer))
        self._layer[key] = data(key, value)
        return Key(key)

    def start(self, handles: Sequence[Any], worker: int | None = None) -> None:
        """Does nothing: lazy tasks start when a result is computed."""

    def value(self, handle: Any) -> Any:
        """The key itself, as there is no value yet."""
        return handle

    def joined(self, axis: int, handles: Sequence[Any]) -> Key:
        """A key for the concatenated values."""
        return self.submit(joined, axis, *handles)

    def array(self, keys: Sequence[Key], axis: int, chunks: Any, dtype: np.dtype[Any]) -> Any:
        """A lazy array whose blocks along an axis are the values of keys."""
        rank = len(chunks)
        name = f"{self._name}-result-{self._arrays}"
        self._arrays += 1
        layer = {}
        for i, key in enumerate(keys):
            place = [0] * rank
            if rank:
                place[axis] = i
            own = (name, *place)
            layer[own] = alias(own, key) if rank else task(own, np.asarray, key)
        layers = {self._name: self._layer, name: layer}
        return lazy_array(layers, self._sources, name, chunks, dtype)


class WholeLater:
    """Whole tensors, as tasks.

    Args:
        stages: the stages.
        tasks: where to submit them.
        rows: number of rows.
        version: version of the package.
        arguments: the tensors fed whole.
    """

    def __init__(
        self,
        stages: Stages,
        tasks: Later,
        rows: int,
        version: str,
        arguments: Mapping[Tensor, Any],
    ) -> None:
        self._stages = stages
        self._tasks = tasks
        self._rows = rows
        self._version = version
        self._known: dict[Tensor, Any] = dict(arguments)

    def give(self, tensor: Tensor, value: Any) -> None:
        """Sets the whole value of a tensor."""
        self._known[tensor] = value

    def take(self, level: int, tensors: Sequence[Tensor]) -> list[Any]:
        """Keys for the whole tensors before a stage."""
        stage = self._stages.whole[level]
        later = [read.tensor for other in self._stages.whole[level + 1 :] for read in other.reads]
        inside = set(stage.ops)
        gives = [*dict.fromkeys([*tensors, *(item for item in later if item.op in inside)])]
        gives = [tensor for tensor in gives if self._stages.analysis.parts[tensor] == WHOLE]
        if gives:
            program = program_of(
                stage._replace(gives=gives), self._stages.analysis.inference, self._version
            )
            arguments = [self._known[read.tensor] for read in stage.reads]
            result = self._tasks.submit(
                run_chunk, self._tasks.spread(program), (0, self._rows), *arguments
            )
            for k, tensor in enumerate(gives):
                self._known[tensor] = self._tasks.submit(_picked, result, k)
        return [self._known[tensor] for tensor in tensors]


def _picked(values: Sequence[Any], k: int) -> Any:
    return values[k]
