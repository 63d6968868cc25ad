"""Loops in the forward pass: invariants, functions of the iteration number, stored values."""

from __future__ import annotations

from typing import NamedTuple

from ...graph.constant_value import known_value
from ...graph.node import Operation, Tensor
from ...ops.array.constants import constant
from ...ops.control_flow.loop_facts import stable_state
from ...ops.control_flow.op_bodies import loop_bodies
from ...ops.lists.list_ops import EMPTY_TENSOR_LIST, TENSOR_LIST_PUSH_BACK
from ...ops.math.arithmetic import add
from ...shape_inference.context import ShapeContext
from ...shape_inference.handle_data import HandleData
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Bodies, Move
from .forward import Forward, through_identities
from .widening import func, kept_for, made_again

_VARYING, _BY_ROUND, _INVARIANT = range(3)
_SCALAR = TensorShape([])
_COUNTING = {"AddV2": 1, "Add": 1, "Sub": -1}


class Counter(NamedTuple):
    """A variable of a loop to which each round adds the same.

    Args:
        position: which variable.
        step: what a round adds.
    """

    position: int
    step: int


class LoopForward(Forward):
    """The body of a loop, and the tensors that its gradient can recover without storing them.

    What does not change from round to round is what it was, and what follows from the number of
    the round can be computed from that; everything else is put into a list in each round.

    Args:
        op: the loop.
    """

    def __init__(self, op: Operation) -> None:
        context = ShapeContext(op, op.graph.inference)
        cond, body = loop_bodies(context)
        state = stable_state(context, body)
        pairs = zip(body.inputs, map(through_identities, body.outputs), op.inputs, strict=True)
        passed = [outside if x is y else None for x, y, outside in pairs]
        super().__init__(body, state, passed, context.depth + 1)
        self.cond = Forward(cond, state, passed, context.depth + 1)
        self.op = op
        self._lists: dict[Tensor, int] = {}
        self._further: list[TensorShape | None] = []  # of elements; None for the number of rounds
        self._kinds: dict[Tensor, int] = {}
        self._seen = 0
        self.counters: dict[Tensor, Counter] = {}
        self._sort_variables()

    def _sort_variables(self) -> None:
        for position, (tensor, end) in enumerate(zip(self.inputs, self.outputs, strict=True)):
            end = through_identities(end)
            kind = _INVARIANT if end is tensor else _VARYING
            step = _step(tensor, end)
            if step is not None:
                kind = _BY_ROUND
                self.counters[tensor] = Counter(position, step)
            self._kinds[tensor] = kind

    def is_invariant(self, position: int) -> bool:
        """Returns True if a variable is loop-invariant."""
        return self._kinds[self.inputs[position]] == _INVARIANT

    def follows(self, tensor: Tensor) -> bool:
        """Returns True if a tensor depends only on invariants and the iteration number."""
        operations = self.graph.get_operations()
        for op in operations[self._seen :]:
            kind = _kind(op, [self._kinds[source] for source in op.inputs])
            for output in op.outputs:
                self._kinds.setdefault(output, kind)
        self._seen = len(operations)
        return self._kinds[tensor] != _VARYING

    def list_of(self, tensor: Tensor) -> int:
        """Index of the result that lists the values of a tensor in all iterations."""
        if tensor not in self._lists:
            shape = tensor.shape
            dtype = tensor.dtype.base_dtype
            kept = self.taken("variant", _SCALAR, HandleData(dtype, shape, None, None))
            with self.graph.as_default(), self.graph.name_scope(None):
                grown = TENSOR_LIST_PUSH_BACK(kept, tensor, element_dtype=dtype)
            self._kinds[kept] = _VARYING
            self._lists[tensor] = len(self.outputs)
            self.outputs.append(grown)
            self._further.append(shape)
        return self._lists[tensor]

    def counter(self) -> Counter:
        """A variable that holds the iteration number; a new one where the loop has none."""
        for counter in self.counters.values():
            if abs(counter.step) == 1:
                return counter
        number = self.taken("int32", _SCALAR)
        with self.graph.as_default(), self.graph.name_scope(None):
            self.outputs.append(add(number, 1))
        self._further.append(None)
        self._kinds[number] = _BY_ROUND
        counter = self.counters[number] = Counter(len(self.outputs) - 1, 1)
        return counter

    def widest(self) -> Operation:
        """The loop with all results that have been asked for, made again if there are new ones."""
        if len(self.outputs) > len(self.op.outputs):
            self._widen()
        return self.op

    def _widen(self) -> None:
        graph = self.op.graph
        missing = len(self.outputs) - len(self.op.outputs)
        dtypes = [tensor.dtype for tensor in self.inputs]
        for tensor in self.inputs[-missing:]:
            self.cond.taken(tensor.dtype, tensor.shape)
        body, cond = self.body(), self.cond.body()
        start = graph.version
        with (
            graph.as_default(),
            graph.control_dependencies(None),
            graph.colocate_with(None, ignore_existing=True),
            graph.name_scope(f"{graph.narrowest(self.op).name}_kept/"),
        ):
            pairs = zip(self._further[-missing:], self.outputs[-missing:], strict=True)
            starts = [
                constant(0) if shape is None else _empty_list(shape, end) for shape, end in pairs
            ]
        attrs = {"T": dtypes, "cond": func(cond), "body": func(body)}
        inputs = [*self.op.inputs, *starts]
        self.op = made_again(self.op, inputs, attrs, [_SCALAR] * missing, start)


def _empty_list(shape: TensorShape, end: Tensor) -> Tensor:
    dtype = end.op.attrs["element_dtype"]
    return EMPTY_TENSOR_LIST(element_shape(shape), constant(-1), element_dtype=dtype)


def element_shape(shape: TensorShape) -> Tensor:
    """A shape as ops on lists take it: -1 for unknown sizes."""
    if shape.rank is None:
        return constant(-1)
    return constant(
        [-1 if size is None else size for size in shape.as_list()], "int32", [shape.rank]
    )


def _step(tensor: Tensor, end: Tensor) -> int | None:
    """Step of a variable per iteration, where that is statically known."""
    sign = _COUNTING.get(end.op.type)
    if sign is None or tensor.dtype.base_dtype.name not in ("int32", "int64") or tensor.shape.rank:
        return None
    if through_identities(end.op.inputs[0]) is not tensor or tensor.shape.rank is None:
        return None
    added = through_identities(end.op.inputs[1])
    value = known_value(added) if added.op.type == "Const" else None  # others may be fed
    if value is None or value.size != 1 or not value.item():
        return None
    return sign * int(value.item())


def _kind(op: Operation, inputs: list[int]) -> int:
    """Classifies how an op's results change from iteration to iteration."""
    definition = op.definition
    is_handle = op.outputs and op.outputs[0].dtype.base_dtype.name == "resource"
    if isinstance(definition.traits, Bodies) or not (definition.pure or (is_handle and not inputs)):
        return _VARYING
    if any(tensor.dtype.is_ref_dtype for tensor in op.inputs):  # a round may change the variable
        return _VARYING
    kind = min(inputs, default=_INVARIANT)
    return _VARYING if kind == _BY_ROUND and not _is_cheap(op) else kind


def _is_cheap(op: Operation) -> bool:
    """Returns True if recomputing the results costs no more than keeping them."""
    if isinstance(op.definition.traits, Move) or op.type == "TensorListGetItem":
        return True
    return all(
        tensor.shape.rank == 0 and (tensor.dtype.is_integer or tensor.dtype.is_bool)
        for tensor in op.outputs
    )


def loop_forward(op: Operation) -> LoopForward:
    """Forward facts of a loop, shared by all its replacements."""
    return kept_for(op, LoopForward)
