"""Variables of a TensorFlow Lite file, read and changed in the order of its ops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...graph.default_graph import get_default_graph
from ...graph.node import Operation, Tensor
from ...protos.dtypes import DType
from .call import apply
from .contents import Op, Subgraph, TensorInfo
from .flatbuffer import MalformedError
from .schema import SCHEMA


class State:
    """Variables by name, and the order in which ops read and change them.

    Args:
        subgraphs: the subgraphs of the file; a variable's dtype and shape are those of the values
            that ops assign to it, or read from it.
    """

    def __init__(self, subgraphs: Sequence[Subgraph]) -> None:
        self._types = _types(subgraphs)
        # Ops with effects, which those after them wait for, of each graph or body that is open.
        self._effects: dict[Any, list[Operation]] = {}
        self.initializers: list[Operation] = []

    def handle(self, name: str) -> Tensor:
        """The handle of a variable."""
        if name not in self._types:
            raise MalformedError(f"no op reads or assigns the variable {name!r}")
        info = self._types[name]
        return apply("VarHandleOp", dtype=info.dtype, shape=info.shape, shared_name=name)

    def read(self, handle: Tensor, dtype: DType) -> Tensor:
        """The value of a variable after all effects so far."""
        with self.after_effects():
            value: Tensor = apply("ReadVariableOp", handle, dtype=dtype)
        self.add_effect(value.op)
        return value

    def assign(self, handle: Tensor, value: Tensor) -> None:
        """Assigns a value after all effects so far."""
        with self.after_effects():
            self.add_effect(apply("AssignVariableOp", handle, value))

    def own(self, name: str, info: TensorInfo) -> Tensor:
        """The handle of a variable for the state of an op, which begins with zeros."""
        shape = [size or 0 for size in info.shape or ()]
        zero = 0 if info.quantization is None else int(info.quantization.zero.reshape(-1)[0])
        self._types[name] = info
        handle = self.handle(name)
        start = apply("Fill", np.array(shape, np.int32), info.dtype.numpy_dtype.type(zero))
        self.initializers.append(apply("AssignVariableOp", handle, start))
        return handle

    def add_effect(self, op: Operation) -> None:
        """Adds an op that all later ones wait for."""
        self._effects.setdefault(get_default_graph(), []).append(op)

    def after_effects(self) -> Any:
        """A `with` block whose ops run after all effects so far."""
        graph = get_default_graph()
        return graph.control_dependencies(self._effects.get(graph, ()))

    def settled(self, results: Iterable[Tensor]) -> list[Tensor]:
        """Results that come after all effects so far."""
        if not self._effects.get(get_default_graph()):
            return list(results)
        with self.after_effects():
            return [apply("Identity", x) for x in results]

    def take_effects(self) -> list[Operation]:
        """The effects so far, which no later op waits for."""
        return self._effects.pop(get_default_graph(), [])

    def keep_effects(self, effects: list[Operation]) -> None:
        """Makes these the effects so far."""
        self._effects[get_default_graph()] = effects


def _types(subgraphs: Sequence[Subgraph]) -> dict[str, TensorInfo]:
    """The values that variables hold, by name."""
    types: dict[str, TensorInfo] = {}
    for number, names in enumerate(_handles(subgraphs)):
        for op in subgraphs[number].ops:
            if op.type == "ASSIGN_VARIABLE" and len(op.inputs) == 2:
                value = op.inputs[1]
            elif op.type == "READ_VARIABLE" and op.outputs:
                value = op.outputs[0]
            else:
                continue
            name = names.get(op.inputs[0]) if op.inputs else None
            if name is not None and value >= 0:
                types.setdefault(name, subgraphs[number].tensors[value])
    return types


def _handles(subgraphs: Sequence[Subgraph]) -> list[dict[int, str]]:
    """The variables that tensors of each subgraph are handles of."""
    handles: list[dict[int, str]] = [{} for _ in subgraphs]
    pending = []
    for number, subgraph in enumerate(subgraphs):
        for op in subgraph.ops:
            options = op.options
            if options is None or "shared_name" not in SCHEMA[options.name]:
                continue
            if op.type == "VAR_HANDLE" and op.outputs:
                handles[number][op.outputs[0]] = options["shared_name"]
        pending.append(number)
    # A loop or branch hands handles on to the subgraphs that it runs.
    while pending:
        number = pending.pop()
        for op in subgraphs[number].ops:
            inputs = op.inputs[1:] if op.type == "IF" else op.inputs
            for inner in _runs(op):
                if not 0 <= inner < len(subgraphs):
                    continue
                found = handles[inner]
                before = len(found)
                for outer, index in zip(inputs, subgraphs[inner].inputs, strict=False):
                    if outer in handles[number]:
                        found.setdefault(index, handles[number][outer])
                if len(found) > before:
                    pending.append(inner)
    return handles


def _runs(op: Op) -> list[int]:
    """The numbers of the subgraphs that a loop or branch runs."""
    names = {
        "IF": ("then_subgraph_index", "else_subgraph_index"),
        "WHILE": ("cond_subgraph_index", "body_subgraph_index"),
    }.get(op.type, ())
    if op.options is None or any(name not in SCHEMA[op.options.name] for name in names):
        return []
    return [op.options[name] for name in names]
