"""Checks a graph against a contract: each point, and its violations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..graph.dependencies import needed_ops
from ..graph.graph import Graph
from ..graph.importing.function_bodies import ops_within
from ..graph.node import Operation, Tensor
from ..graph.side_effects import touches
from ..runtime import errors
from ..shape_inference.tensor_shape import TensorShape
from ..shape_inference.traits import Bodies, Input
from .checking.report import Point
from .contract import Contract, TensorPromise
from .cost import Cost, cost
from .named_inputs import with_named_inputs
from .registries import unknown_to

_MOST_NAMED = 4


def contract_points(
    graph: Graph,
    contract: Contract,
    wanted: Sequence[Tensor | Operation] | None = None,
    loaded: Sequence[Operation] = (),
) -> list[Point]:
    """Holds a graph against a contract, point by point.

    Args:
        graph: the graph.
        contract: the contract.
        wanted: what is computed, where the contract names no outputs; by default all ops.
        loaded: ops that run when the model is loaded, for promises of what is not touched.
    """
    return list(_Held(graph, contract, wanted, loaded).points())


def contract_cost(graph: Graph, contract: Contract) -> Cost:
    """The cost that the limits of a contract are about.

    Args:
        graph: the graph.
        contract: the contract: its outputs, and the inputs and sizes at which they are computed.

    Raises:
        ValueError: the inputs do not fit the graph, or there is no size of a name.
        UnimplementedError: ops have no kernel.
    """
    return _Held(graph, contract).cost()


class _Held:
    """A graph, and a contract that it is held against."""

    def __init__(
        self,
        graph: Graph,
        contract: Contract,
        wanted: Sequence[Tensor | Operation] | None = None,
        loaded: Sequence[Operation] = (),
    ) -> None:
        self._graph = graph
        self._contract = contract
        self._outputs = {name: _tensor(graph, name) for name in contract.outputs}
        self._wanted = [tensor for tensor in self._outputs.values() if tensor is not None]
        whole = graph.get_operations() if wanted is None else wanted
        self._fetches: list[Tensor | Operation] = [*self._wanted] or [*whole]
        self._ops = list(ops_within(needed_ops(self._fetches, [])))
        self._touching = [*self._ops, *(op for op in ops_within(loaded) if op not in self._ops)]
        self._shapes = {
            name: list(promise.sizes)
            for name, promise in contract.inputs.items()
            if promise.sizes is not None and _tensor(graph, name) is not None
        }

    def cost(self) -> Cost:
        return cost(self._graph, self._fetches, self._shapes, self._contract.sizes)

    def points(self) -> Iterator[Point]:
        contract = self._contract
        yield from self._inputs()
        yield from self._shapes_of_outputs()
        if contract.allowed is not None:
            types = sorted({op.type for op in self._ops} - contract.allowed)
            yield Point("TC03", "only allowed op types", _named("there are also", types))
        yield from self._limits()
        if contract.deterministic:
            found = [op for op in self._ops if _has_state(op)]
            yield Point("TC07", "no random numbers, no state", _named("there are", _names(found)))
        for code, allowed, text, does in (
            ("TC08", contract.files, "no file is read or written", ("reads", "writes")),
            ("TC09", contract.python, "no function of the program is called", ("calls",)),
            ("TC11", contract.unknown, "no op is of an unknown type", ("is unknown",)),
        ):
            if not allowed:
                found = [t.op for t in touches(self._touching) if t.what.startswith(does)]
                yield Point(code, text, _named("but by", _names(found)))
        for release in contract.tensorflow:
            definition = self._graph.as_graph_def()
            functions = definition.library.function
            nodes = [*definition.node, *[node for f in functions for node in f.node_def]]
            names = [function.signature.name for function in functions]
            unknown = list(unknown_to(release, nodes, names))
            breach = _named("it does not know that", unknown)
            yield Point("TC10", f"TensorFlow {release} loads it", breach)

    def _inputs(self) -> Iterator[Point]:
        promised = self._contract.inputs
        for name, promise in promised.items():
            text = f"input {name} is {promise}"
            tensor = _tensor(self._graph, name)
            if tensor is None:
                yield Point("TC01", text, f"there is no tensor {name!r}")
                continue
            fits = tensor.dtype.base_dtype == promise.dtype and _could_be(promise, tensor.shape)
            found = f"{tensor.dtype.base_dtype.name}{tensor.shape}"
            yield Point("TC01", text, "" if fits else f"it is {found}")
        if promised:
            fed = {_tensor(self._graph, name) for name in promised}
            others = [
                op.name
                for op in needed_ops(self._fetches, [])
                if isinstance(op.definition.traits, Input)
                and not op.inputs
                and fed.isdisjoint(op.outputs)
            ]
            yield Point("TC01", "no other input is needed", _named("needed are", others))

    def _shapes_of_outputs(self) -> Iterator[Point]:
        inference, problem = None, ""
        try:
            inference = with_named_inputs(self._graph, self._wanted, self._shapes, {}).inference
        except ValueError as error:
            problem = str(error).splitlines()[0]
        for name, promise in self._contract.outputs.items():
            text, tensor = f"output {name} is {promise}", self._outputs[name]
            if tensor is None:
                yield Point("TC02", text, f"there is no tensor {name!r}")
            elif inference is None:
                yield Point("TC02", text, problem)
            else:
                shape = inference.shape(tensor)
                fits = tensor.dtype.base_dtype == promise.dtype and promise.accepts(shape.sizes)
                found = f"{tensor.dtype.base_dtype.name}{shape}"
                yield Point("TC02", text, "" if fits else f"it is {found}")

    def _limits(self) -> Iterator[Point]:
        contract = self._contract
        if not contract.limits:
            return
        codes = {"parameters": "TC04", "flops": "TC05", "peak_bytes": "TC06"}
        try:
            total_cost = self.cost()
        except (ValueError, errors.OpError) as error:
            problem = str(error).splitlines()[0]
            for name, limit in contract.limits.items():
                yield Point(codes[name], f"{name} ≤ {limit:,}", f"not known: {problem}")
            return
        for name, limit in contract.limits.items():
            amount = getattr(total_cost, name)
            known = isinstance(amount, int)
            total = f"{amount:,}" if known else f"{amount}, of which not all sizes are known"
            holds = known and amount <= limit
            yield Point(codes[name], f"{name} ≤ {limit:,}", "" if holds else f"there are {total}")


def _has_state(op: Operation) -> bool:
    traits = op.definition.traits
    harmless = isinstance(traits, (Input, Bodies)) or not op.outputs
    return not op.definition.pure and not harmless


def _could_be(promise: TensorPromise, shape: TensorShape) -> bool:
    """Returns True if a tensor of a static shape can be fed what is promised."""
    if promise.sizes is None or shape.sizes is None:
        return True
    if len(promise.sizes) != len(shape.sizes):
        return False
    pairs = zip(promise.sizes, shape.sizes, strict=True)
    return all(not (isinstance(m, int) and isinstance(n, int)) or m == n for m, n in pairs)


def _tensor(graph: Graph, name: str) -> Tensor | None:
    try:
        return graph.tensor(name if ":" in name else f"{name}:0")
    except (KeyError, ValueError):
        return None


def _names(ops: Iterable[Operation]) -> list[str]:
    return [f"{op.name!r} ({op.type})" for op in ops]


def _named(what: str, names: list[str]) -> str:
    """Names that break a point, shortened to the first few; "" where there are none."""
    if not names:
        return ""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{what} {', '.join(names[:_MOST_NAMED])}{more}"
