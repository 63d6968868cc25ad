"""The plan of a run: what has to be computed, folded and specialised as far as it can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..graph import errors
from ..graph.describe import whereabouts
from ..graph.node import Operation, Tensor
from ..shape_inference.context import KernelContext
from ..shape_inference.inference import Inference
from .cells import Cells

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..graph.graph import Graph
    from ..shape_inference.protocols import Edge

Array = np.ndarray[Any, Any]

_MOST_FOLDED_BYTES = 1 << 26


class Step(NamedTuple):
    """One op of a plan.

    `inputs` and `outputs` are slots; a result that nobody reads has the slot -1. `dead` are the
    slots that nobody reads after this step.
    """

    op: Operation
    kernel: Callable[..., Any]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    dead: tuple[int, ...]


class Plan(NamedTuple):
    """What a run does: constants, then steps, then the slots to hand out (-1 for an op)."""

    constants: dict[int, Array]
    steps: list[Step]
    fetched: tuple[int, ...]
    slots: int


def make_plan(
    graph: Graph,
    fetches: Sequence[Tensor | Operation],
    feeds: Sequence[Tensor],
    state: dict[Any, Any],
) -> Plan:
    """The plan that computes `fetches` from `feeds`; feed number i is in slot i.

    Raises:
        UnimplementedError: ops that are needed have no kernel; all of them are named.
    """
    ops = needed_ops(fetches, feeds)
    missing = [op for op in ops if op.definition.kernel_factory is None]
    if missing:
        names = sorted({op.type for op in missing})
        raise errors.UnimplementedError(
            None,
            missing[0],
            f"not supported: {', '.join(names)} has no kernel; needed by "
            f"{', '.join(whereabouts(op) for op in missing[:8])}",
        )
    return _Planner(graph, ops, feeds, state).plan(fetches)


def needed_ops(fetches: Iterable[Tensor | Operation], feeds: Sequence[Tensor]) -> list[Operation]:
    """The ops that must run for `fetches` when `feeds` are given, in the order they were made."""
    fed = set(feeds)
    pending = [item.op if isinstance(item, Tensor) else item for item in fetches if item not in fed]
    needed: set[Operation] = set()
    while pending:
        op = pending.pop()
        if op not in needed:
            needed.add(op)
            pending.extend(tensor.op for tensor in op.inputs if tensor not in fed)
            pending.extend(op.control_inputs)
    return sorted(needed, key=_index)


def _index(op: Operation) -> int:
    return op.index


class _Planner:
    """Makes one plan: folds constants and specialises kernels, op by op."""

    def __init__(
        self,
        graph: Graph,
        ops: Sequence[Operation],
        feeds: Sequence[Tensor],
        state: dict[Any, Any],
    ) -> None:
        self.ops = ops
        self.feeds = feeds
        self.state = state
        self.inference = _inference_under(graph, ops, feeds)
        self.cells = Cells(ops, feeds)
        self.constants: dict[Edge, Array] = {}
        self.kernels: list[tuple[Operation, Callable[..., Any]]] = []

    def plan(self, fetches: Sequence[Tensor | Operation]) -> Plan:
        fed = set(self.feeds)
        self.cells.check_order(fetches)
        with np.errstate(all="ignore"):
            for op in self.ops:
                self._specialise(op, fed)
        return self._laid_out(fetches)

    def _specialise(self, op: Operation, fed: set[Tensor]) -> None:
        definition = op.definition
        factory = definition.kernel_factory
        if factory is None:
            raise errors.InternalError(None, op, f"{op.type} has no kernel")
        context = KernelContext(op, self.inference, self.constants, self.state)
        try:
            kernel = factory(context)
        except (ValueError, TypeError) as error:
            # What is wrong with the op is told when it runs, as if the kernel had found it then.
            kernel = _raiser(error)
        inputs = [self.constants.get(tensor) for tensor in op.inputs]
        known = [value for value in inputs if value is not None]
        fixed = definition.pure and not any(map(self.cells.updated, op.outputs))
        results = _folded(kernel, known) if fixed and len(known) == len(inputs) else None
        if results is None:
            self.kernels.append((op, kernel))
            return
        for tensor, result in zip(op.outputs, results, strict=True):
            if tensor not in fed:
                self.constants[tensor] = result

    def _laid_out(self, fetches: Sequence[Tensor | Operation]) -> Plan:
        slots = {tensor: i for i, tensor in enumerate(self.feeds)}
        constants: dict[int, Array] = {}

        def slot_of(tensor: Tensor) -> int:
            tensor = self.cells.root(tensor)
            slot = slots.get(tensor)
            if slot is None:
                slot = slots[tensor] = len(slots)
                if tensor in self.constants:
                    constants[slot] = self.constants[tensor]
            return slot

        fed = set(self.feeds)
        used = {item for item in fetches if isinstance(item, Tensor)}
        for op, _ in self.kernels:
            used.update(op.inputs)
        used -= fed
        used.update([op.outputs[0] for op, _ in self.kernels if op.definition.aliases])
        fetched = tuple([slot_of(item) if isinstance(item, Tensor) else -1 for item in fetches])
        laid_out = []
        for op, kernel in self.kernels:
            inputs = tuple([slot_of(tensor) for tensor in op.inputs])
            outputs = tuple([slot_of(tensor) if tensor in used else -1 for tensor in op.outputs])
            laid_out.append((op, kernel, inputs, outputs))
        kept = {-1, *fetched, *constants, *range(len(self.feeds))}
        steps: list[Step] = []
        for op, kernel, inputs, outputs in reversed(laid_out):
            dead = tuple([slot for slot in dict.fromkeys((*inputs, *outputs)) if slot not in kept])
            kept.update(dead)
            steps.append(Step(op, kernel, inputs, outputs, dead))
        steps.reverse()
        return Plan(constants, steps, fetched, len(slots))


def _inference_under(graph: Graph, ops: Sequence[Operation], feeds: Sequence[Tensor]) -> Inference:
    """What is known of the tensors when `feeds` are fed.

    A placeholder is built to be fed. Feeding any other tensor may give it a value that the graph
    did not expect, so everything behind it is inferred anew.
    """
    if all(tensor.op.type.startswith("Placeholder") for tensor in feeds):
        return graph.inference
    inference = Inference()
    fed = set(feeds)
    for tensor in feeds:
        inference.declare(tensor, tensor.shape)
    for op in ops:
        kept = [(tensor, tensor.shape) for tensor in op.outputs if tensor in fed]
        try:
            inference.infer(op)
        except (TypeError, ValueError):
            inference.forget(op.outputs)  # the kernel will say what is wrong
        for tensor, shape in kept:
            inference.declare(tensor, shape)
    return inference


def _folded(kernel: Callable[..., Any], inputs: Sequence[Any]) -> list[Array] | None:
    """The results of a kernel on constants; None where it fails or they are too large to keep."""
    try:
        results = kernel(*inputs)
    except Exception:  # noqa: BLE001 - it fails again, and is told, when it runs
        return None
    arrays = list(results) if isinstance(results, (tuple, list)) else [results]
    if inputs and sum(array.nbytes for array in arrays) > _MOST_FOLDED_BYTES:
        return None
    for array in arrays:
        array.flags.writeable = False
    return arrays


def _raiser(error: Exception) -> Callable[..., Any]:
    message = str(error)
    kind = type(error)

    def fail(*_: Any) -> Any:
        raise kind(message)

    return fail
