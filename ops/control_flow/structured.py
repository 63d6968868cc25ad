"""The ops of branches and loops: `If`, `Case`, `While` and calls of functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from operator import itemgetter
from typing import Any, NamedTuple

from ...graph.bodies import Body, Call, Known, is_looked_into
from ...graph.node import Operation
from ...graph.op_def import OpDef
from ...runtime import errors
from ...runtime.kernel_spec import KernelSpec
from ...shape_inference.context import KernelContext, Knowledge, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.symbolic.symbolic import Dim
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Bodies
from .cached_body_facts import followed_once
from .loop_facts import loop_facts, stable_state
from .op_bodies import branch_of, case_branches, if_branches, joined, known_inputs, loop_bodies

_TYPES = "Tin: list(type), Tout: list(type)"
_SHAPES = "output_shapes: list(shape) = []"
_CONFIG = "config: string = '', config_proto: string = '', executor_type: string = ''"
_IF = (
    "cond: Tcond, input: Tin -> output: Tout",
    f"Tcond: type, {_TYPES}, then_branch: func, else_branch: func, {_SHAPES}",
)
_CASE = (
    "branch_index: int32, input: Tin -> output: Tout",
    f"{_TYPES}, branches: list(func) >= 1, {_SHAPES}",
)
_WHILE = (
    "input: T -> output: T",
    f"T: list(type), cond: func, body: func, {_SHAPES}, parallel_iterations: int = 10",
)
_CALL = "args: Tin -> output: Tout", f"{_TYPES}, f: func, {_CONFIG}"

IF = OpDef("If", *_IF, traits=Bodies(stateful=True))
STATELESS_IF = OpDef("StatelessIf", *_IF, traits=Bodies())
CASE = OpDef("Case", *_CASE, traits=Bodies(stateful=True))
STATELESS_CASE = OpDef("StatelessCase", *_CASE, traits=Bodies())
WHILE = OpDef("While", *_WHILE, traits=Bodies(stateful=True))
STATELESS_WHILE = OpDef("StatelessWhile", *_WHILE, traits=Bodies())
PARTITIONED_CALL = OpDef("PartitionedCall", *_CALL, traits=Bodies())
STATEFUL_PARTITIONED_CALL = OpDef("StatefulPartitionedCall", *_CALL, traits=Bodies(stateful=True))


# Branches and calls ------------------------------------------------------------------------------


class _Results(NamedTuple):
    """Facts about the results of one of several bodies."""

    known: list[Known]


def _joined_shapes(c: ShapeContext, bodies: Sequence[Body], inputs: str) -> list[TensorShape]:
    """The shapes of what one of several bodies returns."""
    if not is_looked_into(c.depth):
        return _stated_shapes(c, len(c.node.outputs))
    facts = known_inputs(c, c.inputs(inputs))

    def follow() -> _Results:
        outputs = [body.known_outputs(body.inferred(facts, c.depth + 1)) for body in bodies]
        return _Results([reduce(joined, known) for known in zip(*outputs, strict=True)])

    results = followed_once(bodies, facts, follow).known
    for i, known in enumerate(results):
        _tell(c, i, known)
    return [known.shape for known in results]


def _tell(c: ShapeContext, output: int, known: Known) -> None:
    """States what is known of an output beside its shape."""
    c.hold(known.content, output)
    c.know(known.value, output)


def _stated_shapes(c: ShapeContext, number: int) -> list[TensorShape]:
    """The facts that the op itself states, when its bodies are not followed."""
    stated = c.node.attrs.get("output_shapes") or []
    return list(stated) if len(stated) == number else [TensorShape(None)] * number


def _as_far_as_known(function: Callable[[ShapeContext], Any]) -> Callable[[ShapeContext], Any]:
    """The shape function, of which an op whose bodies cannot be followed needs no more."""

    def shapes(c: ShapeContext) -> Any:
        try:
            return function(c)
        except errors.UnimplementedError:
            return _stated_shapes(c, len(c.node.outputs))

    return shapes


@IF.shape
@STATELESS_IF.shape
@_as_far_as_known
def _if_shape(c: ShapeContext) -> list[TensorShape]:
    branches = if_branches(c)
    pred = c.const("cond")
    taken = branches if pred is None else [branches[_truth(pred)]]
    return _joined_shapes(c, taken, "input")


@CASE.shape
@STATELESS_CASE.shape
@_as_far_as_known
def _case_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("branch_index", rank=0)
    branches = case_branches(c)
    index = c.const("branch_index")
    taken = branches if index is None else [branches[_in_range(index, len(branches))]]
    return _joined_shapes(c, taken, "input")


@PARTITIONED_CALL.shape
@STATEFUL_PARTITIONED_CALL.shape
@_as_far_as_known
def _call_shape(c: ShapeContext) -> list[TensorShape]:
    return _joined_shapes(c, [branch_of(c, c.attr("f"))], "args")


@IF.called
@STATELESS_IF.called
def _if_called(c: ShapeContext) -> list[Call]:
    facts = known_inputs(c, c.inputs("input"))
    return [Call(body, facts) for body in if_branches(c)]


@CASE.called
@STATELESS_CASE.called
def _case_called(c: ShapeContext) -> list[Call]:
    facts = known_inputs(c, c.inputs("input"))
    return [Call(body, facts) for body in case_branches(c)]


@PARTITIONED_CALL.called
@STATEFUL_PARTITIONED_CALL.called
def _call_called(c: ShapeContext) -> list[Call]:
    return [Call(branch_of(c, c.attr("f")), known_inputs(c, c.inputs("args")))]


@IF.kernel
@STATELESS_IF.kernel
def _if_kernel(c: KernelContext) -> Kernel:
    branches = dict(zip(("else", "then"), if_branches(c), strict=True))
    return _one_of(c, branches, c.const("cond"), _truth)


@CASE.kernel
@STATELESS_CASE.kernel
def _case_kernel(c: KernelContext) -> Kernel:
    branches = {f"branch {i}": body for i, body in enumerate(case_branches(c))}
    return _one_of(c, branches, c.const("branch_index"), partial(_in_range, number=len(branches)))


def _one_of(
    c: KernelContext,
    branches: dict[str, Body],
    known: Array | None,
    number: Callable[[Array], int],
) -> KernelSpec:
    """The kernel that runs one of several bodies.

    Args:
        c: the op.
        branches: the bodies, by what they are called.
        known: what chooses, if it is the same at every run of the plan: then the kernel has the
            only the body that it chooses, and asks for nothing that only the others read.
        number: from what chooses to the number of the body.
    """
    facts = known_inputs(c, c.inputs("input"))
    packed = _results_of(c)
    unread: list[int] = []
    choose = number
    if known is not None:
        label, body = list(branches.items())[number(known)]
        branches = {label: body}
        unread = [i for i, used in enumerate(body.used_inputs(), 1) if not used]
        choose = _first
    runs = {label: c.bodies.body(body, facts, c.depth) for label, body in branches.items()}
    numbered = list(runs.values())

    def branch(chooser: Array, *inputs: Array) -> Any:
        return packed(numbered[choose(chooser)].run(*inputs))

    return KernelSpec(branch, bodies=runs, unused_inputs=unread)


def _first(_: Array) -> int:
    return 0


@PARTITIONED_CALL.kernel
@STATEFUL_PARTITIONED_CALL.kernel
def _call_kernel(c: KernelContext) -> Kernel:
    packed = _results_of(c)
    run = c.bodies.body(branch_of(c, c.attr("f")), known_inputs(c, c.inputs("args")), c.depth)

    def call(*args: Array) -> Any:
        return packed(run.run(*args))

    return KernelSpec(call, bodies={"function": run})


def _results_of(c: OpContext) -> Callable[[Sequence[Array]], Any]:
    """A function from the results of a body to those of a kernel; a single one is not a tuple."""
    return itemgetter(0) if len(c.node.outputs) == 1 else tuple


def _truth(value: Array) -> bool:
    """The value of a predicate: a scalar that is not zero or empty, or an array with elements."""
    return bool(value.item() if value.ndim == 0 else value.size)


def _in_range(index: Array, number: int) -> int:
    """The branch of an index; the last one stands for those that there are not."""
    i = int(index)
    return i if 0 <= i < number else number - 1


# Loops -------------------------------------------------------------------------------------------


@WHILE.shape
@STATELESS_WHILE.shape
@_as_far_as_known
def _while_shape(c: ShapeContext) -> list[TensorShape]:
    cond, body = loop_bodies(c)
    facts = loop_facts(c, cond, body)
    for i, known in enumerate(facts.after):
        _tell(c, i, known)
        c.explain(facts.losses[i], i)
    return [known.shape for known in facts.after]


def rounds_of(op: Operation, inference: Knowledge) -> Dim | None:
    """Number of iterations of a loop, if it can be counted statically; else None."""
    if op.definition not in (WHILE, STATELESS_WHILE):
        return None
    c = ShapeContext(op, inference)
    return loop_facts(c, *loop_bodies(c)).rounds


@WHILE.called
@STATELESS_WHILE.called
def _while_called(c: ShapeContext) -> list[Call]:
    parts = loop_bodies(c)
    state = stable_state(c, parts[1])
    return [Call(body, state) for body in parts]


@WHILE.kernel
@STATELESS_WHILE.kernel
def _while_kernel(c: KernelContext) -> Kernel:
    parts = loop_bodies(c)
    packed = _results_of(c)
    run = c.bodies.loop(parts, stable_state(c, parts[1]), _truth, c.node.name, c.depth)

    def loop(*state: Array) -> Any:
        return packed(run.run(*state))

    return KernelSpec(loop, bodies={"loop": run})
