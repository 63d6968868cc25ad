"""The order in which a run reads and updates variables held by reference, as in TensorFlow.

A read of such a variable is not an op of its own there: `Identity`, `Reshape` and similar ops pass
on the memory of the variable, into which updates write. So a value is that of the time when an op
computes from it, and only the executor decides whether that is before an update that the op does
not wait for. With its threads this is a race, but threads take long to wake up, so that the order
of a single one nearly always wins:

- An op becomes ready when the last of its inputs is there. Ops that one op has made ready are
  looked at in the order in which they were made.
- Cheap ones, which only pass on memory or state a constant or shape, join the queue of the thread.
- Of the others the thread keeps the last, if its queue is empty; the rest go to the pool.
- The thread works off its queue, then takes from the pool what was put there last.

The steps of a plan keep the order of creation, except where this order has a read or an update on
the other side of an update of the same variable.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from ...graph.node import Operation, Tensor
from ...graph.op_def import OpDef
from ...shape_inference.traits import Bodies, Constant, Input, Move

_JUST_BEFORE = 1e-9


class Uses(NamedTuple):
    """Ops that change a variable in a run, and ops that compute from its value.

    Attributes:
        updates: the ops that take the reference.
        readers: the ops that read the value, and those through which it is handed on.
    """

    updates: list[Operation]
    readers: list[Operation]


def taken_as_references(op: Operation) -> list[bool] | None:
    """Flag for each input: whether the op takes the variable itself; None if none is one."""
    for tensor in op.inputs:
        if tensor.dtype.is_ref_dtype and isinstance(op.definition, OpDef):
            return [dtype.is_ref_dtype for dtype in op.definition.input_dtypes(op.attrs)]
    return None


def variable_of(tensor: Tensor) -> Tensor:
    """The variable that a reference leads to, through the updates of it."""
    while tensor.dtype.is_ref_dtype and tensor.op.inputs:
        tensor = tensor.op.inputs[0]
    return tensor


def updated_variables(ops: Sequence[Operation], fed: AbstractSet[Tensor]) -> dict[Tensor, Uses]:
    """The variables held by reference that a run updates, with who uses each."""
    found: dict[Tensor, Uses] = {}
    for op in ops:
        taken = taken_as_references(op)
        if taken is None:
            continue
        for tensor, whole in zip(op.inputs, taken, strict=False):
            if whole:
                variable = variable_of(tensor)
                if variable not in fed and not isinstance(variable.op.definition.traits, Input):
                    found.setdefault(variable, Uses([], [])).updates.append(op)
    if found:
        users: dict[Tensor, list[Operation]] = {}
        for op in ops:
            for tensor in dict.fromkeys(op.inputs):
                users.setdefault(tensor, []).append(op)
        for variable, uses in found.items():
            uses.readers.extend(_readers(variable, set(uses.updates), users, fed))
    return found


def _readers(
    variable: Tensor,
    updates: AbstractSet[Operation],
    users: Mapping[Tensor, Sequence[Operation]],
    fed: AbstractSet[Tensor],
) -> Iterator[Operation]:
    """The ops that see the memory of a variable; an update may read it, too, as its operand."""
    pending = [variable]
    seen: set[Operation] = set()
    while pending:
        tensor = pending.pop()
        for op in users.get(tensor, ()):
            if op not in seen and not (tensor is variable and op in updates):
                seen.add(op)
                yield op
                if _hands_on(op):
                    pending += [output for output in op.outputs if output not in fed]


def in_executor_order(
    ops: Sequence[Operation],
    fed: AbstractSet[Tensor],
    variables: Mapping[Tensor, Uses],
    replaced: Mapping[Operation, Operation],
) -> Sequence[Operation]:
    """The ops, each read and update of a variable on the side of the others where it is to be.

    Args:
        ops: in an order in which they can run.
        fed: what is fed.
        variables: from `updated_variables`.
        replaced: the ops for which another one stands, and which.
    """
    if not any(len(uses.updates) > 1 or uses.readers for uses in variables.values()):
        return ops
    at = {op: i for i, op in enumerate(ops)}
    moments, dependents = _moments(ops, fed)
    after: dict[Operation, list[Operation]] = {}
    for variable, uses in variables.items():
        users = dict.fromkeys([*uses.updates, *uses.readers])
        # Values passed on are read by the ops that compute from them.
        for op in sorted(uses.readers, key=at.__getitem__, reverse=True):
            if _hands_on(op):
                behind = [moments[later] for later in dependents.get(op, ())]
                moments[op] = min(behind, default=moments[op]) - _JUST_BEFORE
        first = _initializer(variable)
        for update in uses.updates:
            if isinstance(update.definition.traits, Bodies):
                continue  # it may read as well as write, in an order of its own
            for user in users:
                if user is update or (update is first and at[update] < at[user]):
                    continue
                if (at[update] < at[user]) != (moments[update] < moments[user]):
                    pair = (update, user) if moments[update] < moments[user] else (user, update)
                    after.setdefault(pair[0], []).append(pair[1])
    return _sorted(ops, after, replaced) if after else ops


def _initializer(variable: Tensor) -> Operation | None:
    """The op that gives a variable its first value: before it there is nothing to be read."""
    users = variable.op.graph.consumers(variable)
    return next((user for user in users if user.definition.traits.assigns), None)


def _hands_on(op: Operation) -> bool:
    traits = op.definition.traits
    return isinstance(traits, Move) and traits.views


def _is_cheap(op: Operation) -> bool:
    """Returns whether TensorFlow always runs an op in the thread that has made it ready."""
    definition = op.definition
    traits = definition.traits
    if traits.idle or isinstance(traits, (Constant, Input)):
        return True
    return definition.value_function is not None or _hands_on(op)


def _moments(
    ops: Sequence[Operation], fed: AbstractSet[Tensor]
) -> tuple[dict[Operation, float], Mapping[Operation | Tensor, Sequence[Operation]]]:
    """Start order of ops, as described above, and the ops that wait for each."""
    waiting: dict[Operation, int] = {}
    behind: dict[Operation | Tensor, list[Operation]] = {}
    for op in ops:
        sources: list[Operation | Tensor] = [
            tensor if tensor in fed else tensor.op for tensor in op.inputs
        ]
        sources += op.controls
        waiting[op] = len(sources)
        for source in sources:
            behind.setdefault(source, []).append(op)
    moments: dict[Operation, float] = {}
    pool: list[Operation] = []
    # Feeds exist from the start, and so do ops whose results are all fed.
    queue = deque(source for source in behind if source not in waiting)
    _distribute([op for op in ops if not waiting[op]], queue, pool)
    while queue or pool:
        current = queue.popleft() if queue else pool.pop()
        if isinstance(current, Operation) and current in waiting:
            moments[current] = float(len(moments))
        ready = []
        for op in behind.get(current, ()):
            waiting[op] -= 1
            if not waiting[op]:
                ready.append(op)
        _distribute(ready, queue, pool)
    return moments, behind


def _distribute(
    ready: Iterable[Operation], queue: deque[Operation | Tensor], pool: list[Operation]
) -> None:
    """Puts ops that have become ready into the queue of the thread, or into the pool."""
    costly = []
    for op in ready:
        if _is_cheap(op):
            queue.append(op)
        else:
            costly.append(op)
    if costly and not queue:
        queue.append(costly.pop())
    pool += costly


def _sorted(
    ops: Sequence[Operation],
    after: Mapping[Operation, Sequence[Operation]],
    replaced: Mapping[Operation, Operation],
) -> Sequence[Operation]:
    """The ops in the given order, as far as dependencies allow."""
    at = {op: i for i, op in enumerate(ops)}
    behind: list[list[int]] = [[] for _ in ops]
    waiting = [0] * len(ops)

    def order(first: Operation, second: Operation) -> None:
        if first in at:
            behind[at[first]].append(at[second])
            waiting[at[second]] += 1

    for op in ops:
        for source in {*(tensor.op for tensor in op.inputs), *op.controls}:
            order(source, op)
        if op in replaced:
            order(replaced[op], op)
        for later in after.get(op, ()):
            order(op, later)
    ready = [i for i, count in enumerate(waiting) if not count]
    heapify(ready)
    result = []
    while ready:
        i = heappop(ready)
        result.append(ops[i])
        for j in behind[i]:
            waiting[j] -= 1
            if not waiting[j]:
                heappush(ready, j)
    # An op that replaces another may wait for ops made after that one: then nothing is moved.
    return result if len(result) == len(ops) else ops
