"""Making a plan: what has to run, folded, merged and specialised as far as it can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..graph import errors
from ..graph.describe import whereabouts
from ..graph.node import Operation, Tensor
from ..graph.op_def import OpDef
from ..graph.passthrough import passthrough
from ..graph.references import dereference
from ..protos import dtypes
from ..shape_inference.context import KernelContext, is_symbolic
from ..shape_inference.inference import Inference
from ..shape_inference.traits import Input
from .cells import Cells
from .plan import Plan, Step, with_dead_slots

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Hashable, Iterable, Sequence

    from ..graph.graph import Graph
    from ..shape_inference.protocols import Array, Edge

_MOST_FOLDED_BYTES = 1 << 26
_SIZES = (dtypes.int32, dtypes.int64)


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
            # Nothing is left to wait for in an op whose results are all fed.
            pending.extend(
                control
                for control in op.controls
                if not control.outputs or not fed.issuperset(control.outputs)
            )
    return sorted(needed, key=_index)


def _index(op: Operation) -> int:
    return op.index


class _Work(NamedTuple):
    """An op that has to run, with the tensors that it really reads; or the reading of a variable.

    What a reading gives is a tensor of the plan alone.
    """

    op: Operation
    kernel: Callable[..., Any]
    inputs: tuple[Tensor, ...]
    outputs: Sequence[Tensor]


class _Planner:
    """Makes one plan, op by op: first what to run, then in which slots."""

    def __init__(
        self,
        graph: Graph,
        ops: Sequence[Operation],
        feeds: Sequence[Tensor],
        state: dict[Any, Any],
    ) -> None:
        self.ops = ops
        self.feeds = feeds
        self.fed = set(feeds)
        self.state = state
        self.inference = _inference_under(graph, ops, feeds)
        self.cells = Cells(ops, feeds)
        self.constants: dict[Edge, Array] = {}
        self.equals: dict[Tensor, Tensor] = {}
        self.done: dict[Hashable, Operation] = {}
        self.work: list[_Work] = []
        self.snapshots: dict[Tensor, Tensor] = {}

    def plan(self, fetches: Sequence[Tensor | Operation]) -> Plan:
        self.cells.check_order(fetches)
        with np.errstate(all="ignore"):
            for op in self.ops:
                self._add(op)
                for tensor in op.outputs:
                    if tensor.dtype.is_ref_dtype and (op.inputs or tensor in fetches):
                        self.snapshots[tensor] = self._read(tensor)
        return self._laid_out(fetches)

    def _add(self, op: Operation) -> None:
        pure = op.definition.pure and not any(
            self.cells.updated(tensor) for tensor in (*op.inputs, *op.outputs)
        )
        if pure and self._known_from_shapes(op):
            return
        inputs = tuple([self.equals.get(tensor, tensor) for tensor in op.inputs])
        if any(tensor.dtype.is_ref_dtype for tensor in inputs):
            inputs = self._dereferenced(op, inputs)
        if pure and self._merged(op, inputs):
            return
        kernel = self._kernel(op)
        if pure and kernel is passthrough:
            if inputs[0] in self.constants:
                self.constants[op.outputs[0]] = self.constants[inputs[0]]
            self._replace(op.outputs, inputs)
        elif not (pure and self._folded(op, kernel)):
            self.work.append(_Work(op, kernel, inputs, op.outputs))

    def _dereferenced(self, op: Operation, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The inputs, with the values of variables where the op does not take references."""
        definition = op.definition
        if not isinstance(definition, OpDef):
            return inputs
        dtypes = definition.input_dtypes(op.attrs)
        return tuple(
            [
                tensor if dtype.is_ref_dtype else self._read(tensor)
                for tensor, dtype in zip(inputs, dtypes, strict=True)
            ]
        )

    def _read(self, tensor: Tensor) -> Tensor:
        """The value that `tensor` refers to at this point of the plan.

        An update refers to what the variable was right after it, whenever it is read.
        """
        if not tensor.dtype.is_ref_dtype or tensor in self.fed:
            return tensor
        if tensor.op.inputs and tensor in self.snapshots:
            return self.snapshots[tensor]
        value = Tensor(tensor.op, tensor.value_index, tensor.dtype.base_dtype)
        self.work.append(_Work(tensor.op, dereference, (tensor,), (value,)))
        return value

    def _kernel(self, op: Operation) -> Callable[..., Any]:
        factory = op.definition.kernel_factory
        if factory is None:
            raise errors.InternalError(None, op, f"{op.type} has no kernel")
        try:
            return factory(KernelContext(op, self.inference, self.constants, self.state))
        except Exception as error:  # noqa: BLE001
            # What is wrong with the op is told when it runs, as if the kernel had found it then.
            return _raiser(error)

    def _known_from_shapes(self, op: Operation) -> bool:
        """Takes the results that static shapes decide for constants: Shape, and what is made of it.

        Sizes are integers, and to look at those alone keeps planning quick. An empty result is
        known even where the kernel will refuse its inputs, so it has to run.
        """
        definition = op.definition
        own_rule = definition.value_function is not None
        integers = op.inputs and op.outputs and all(tensor.dtype in _SIZES for tensor in op.outputs)
        # Arithmetic may refuse its inputs though the result is known: 0 // x, where x is 0.
        if not own_rule and (definition.traits.checking or not integers):
            return False
        values = [self.inference.value(tensor) for tensor in op.outputs]
        known = [
            value
            for value in values
            if value is not None and not is_symbolic(value) and (own_rule or value.size)
        ]
        if len(known) < len(values):
            return False
        self._settle(op, known)
        return True

    def _merged(self, op: Operation, inputs: tuple[Tensor, ...]) -> bool:
        """Lets an earlier op that computes the same stand for this one."""
        if not inputs or any(tensor in self.fed for tensor in op.outputs):
            return False
        key = (op.definition.name, inputs, _attr_key(op))
        twin = self.done.setdefault(key, op)
        if twin is op:
            return False
        self._replace(op.outputs, twin.outputs)
        for tensor, other in zip(op.outputs, twin.outputs, strict=True):
            if other in self.constants:
                self.constants[tensor] = self.constants[other]
        return True

    def _folded(self, op: Operation, kernel: Callable[..., Any]) -> bool:
        """Runs an op on constants now; if it fails or is too large, it runs later."""
        inputs = [self.constants[tensor] for tensor in op.inputs if tensor in self.constants]
        if len(inputs) < len(op.inputs) or (inputs and self._is_large(op)):
            return False
        try:
            results = kernel(*inputs)
        except Exception:  # noqa: BLE001 - it fails again, and is told, when it runs
            return False
        several = isinstance(results, (tuple, list))
        arrays = [np.asarray(result) for result in (results if several else [results])]
        if inputs and sum(array.nbytes for array in arrays) > _MOST_FOLDED_BYTES:
            return False
        for array in arrays:
            array.flags.writeable = False
        self._settle(op, arrays)
        return True

    def _is_large(self, op: Operation) -> bool:
        """Whether static shapes tell that the results are too large to be kept in a plan."""
        sizes = [
            (self.inference.shape(tensor).num_elements() or 0) * tensor.dtype.size
            for tensor in op.outputs
        ]
        return sum(sizes) > _MOST_FOLDED_BYTES

    def _settle(self, op: Operation, values: Sequence[Array]) -> None:
        for tensor, value in zip(op.outputs, values, strict=True):
            if tensor not in self.fed:
                self.constants[tensor] = value

    def _replace(self, outputs: Sequence[Tensor], others: Sequence[Tensor]) -> None:
        for tensor, other in zip(outputs, others, strict=True):
            if tensor not in self.fed:
                self.equals[tensor] = self.equals.get(other, other)

    def _laid_out(self, fetches: Sequence[Tensor | Operation]) -> Plan:
        wanted = [
            self.snapshots.get(item, self.equals.get(item, item))
            if isinstance(item, Tensor)
            else None
            for item in fetches
        ]
        awaited = {item for item in fetches if isinstance(item, Operation)}
        awaited.update(control for op in self.ops for control in op.controls)
        work = self._used_work(wanted, awaited)
        read = {tensor for item in work for tensor in item.inputs}
        read.update(tensor for tensor in wanted if tensor is not None)
        read -= self.fed
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

        fetched = tuple([-1 if tensor is None else slot_of(tensor) for tensor in wanted])
        steps = []
        for op, kernel, inputs, made in work:
            outputs = [
                slot_of(tensor) if tensor in read or op.definition.traits.aliases else -1
                for tensor in made
            ]
            steps.append(Step(op, kernel, tuple(map(slot_of, inputs)), tuple(outputs)))
        plan = Plan(len(self.feeds), constants, [], fetched, len(slots))
        return plan._replace(steps=with_dead_slots(steps, plan.lasting))

    def _used_work(
        self, wanted: Iterable[Tensor | None], awaited: Container[Operation]
    ) -> list[_Work]:
        """The work without what folding has made superfluous; ops that are awaited stay."""
        read = set(wanted)
        used = []
        for item in reversed(self.work):
            op = item.op
            lasting = (not op.definition.pure or op in awaited) and item.outputs is op.outputs
            if lasting or not read.isdisjoint(item.outputs):
                read.update(item.inputs)
                used.append(item)
        used.reverse()
        return used


def _attr_key(op: Operation) -> Hashable:
    """The attrs of an op in a form that can be compared; those of a node alone are left out."""
    return tuple([_bits(value) for name, value in op.attrs.items() if not name.startswith("_")])


def _bits(value: Any) -> Hashable:
    """A key that values share only if nothing tells them apart: not -0.0 and 0.0, True and 1."""
    if isinstance(value, (list, tuple)):
        return tuple(map(_bits, value))
    if isinstance(value, float):
        return float, value.hex()
    try:
        hash(value)
    except TypeError:
        return id(value)
    return type(value), value


def _inference_under(graph: Graph, ops: Sequence[Operation], feeds: Sequence[Tensor]) -> Inference:
    """What is known of the tensors when `feeds` are fed.

    A placeholder is built to be fed. Feeding any other tensor may give it a value that the graph
    did not expect, so everything behind it is inferred anew.
    """
    if all(isinstance(tensor.op.definition.traits, Input) for tensor in feeds):
        return graph.inference
    inference = Inference()
    fed = set(feeds)
    for tensor in feeds:
        inference.declare(tensor, tensor.shape)
    for op in ops:
        kept = [(tensor, tensor.shape) for tensor in op.outputs if tensor in fed]
        try:
            inference.infer(op)
        except Exception:  # noqa: BLE001 - the kernel will say what is wrong
            inference.forget([op])
        for tensor, shape in kept:
            inference.declare(tensor, shape)
    return inference


def _raiser(error: Exception) -> Callable[..., Any]:
    def fail(*_: Any) -> Any:
        raise error.with_traceback(None)

    return fail
