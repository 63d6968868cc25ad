"""Branches and loops as ops: which function runs, and how often, is decided in the run."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ...graph import errors
from ...graph.bodies import DEEPEST_INFERENCE, Body, Known
from ...graph.deadlines import deadline
from ...graph.importing.function_bodies import body_of
from ...graph.op_def import OpDef
from ...shape_inference.contents import common_shape
from ...shape_inference.inference import identified
from ...shape_inference.symbolic.symbolic import equal
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Bodies

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...shape_inference.context import KernelContext, OpContext, ShapeContext
    from ...shape_inference.protocols import Array, Edge, Kernel

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


def _if_branches(c: OpContext) -> list[Body]:
    return [_branch(c, c.attr("else_branch")), _branch(c, c.attr("then_branch"))]


def _case_branches(c: OpContext) -> list[Body]:
    return [_branch(c, func) for func in c.attr("branches")]


def _branch(c: OpContext, func: Any) -> Body:
    body = _body(c, func)
    _check_dtypes(body, "takes", body.inputs, c.attr("Tin"))
    _check_dtypes(body, "returns", body.outputs, c.attr("Tout"))
    return body


def _body(c: OpContext, func: Any) -> Body:
    graph: Any = c.node.graph  # type: ignore[attr-defined]
    return body_of(graph, func)


def _check_dtypes(body: Body, does: str, tensors: Sequence[Edge], dtypes: Sequence[Any]) -> None:
    found = [tensor.dtype.base_dtype for tensor in tensors]
    if found != list(dtypes):
        names = [", ".join(dtype.name for dtype in some) for some in (found, dtypes)]
        raise ValueError(
            f"the function {body.name!r} {does} ({names[0]}), where the op has ({names[1]})"
        )


def _known(c: OpContext, edges: Sequence[Edge]) -> list[Known]:
    """What is known of inputs, for a body: while a graph is built, or while a plan is made."""
    get: Any = getattr(c, "const_of", None) or c.value_of  # type: ignore[attr-defined]
    return [Known(c.shape_of(edge), get(edge), c.content_of(edge)) for edge in edges]


def _joined_shapes(c: ShapeContext, bodies: Sequence[Body], inputs: str) -> list[TensorShape]:
    """The shapes of what one of several bodies returns."""
    if c.depth >= DEEPEST_INFERENCE:
        return _stated_shapes(c, len(c.node.outputs))
    given = _known(c, c.inputs(inputs))
    results = [body.known_outputs(body.inferred(given, c.depth + 1)) for body in bodies]
    shapes = []
    for i, known in enumerate(zip(*results, strict=True)):
        joined = known[0]
        for other in known[1:]:
            joined = _joined(joined, other)
        c.hold(joined.content, i)
        shapes.append(joined.shape)
    return shapes


def _joined(x: Known, y: Known) -> Known:
    content = None if x.content is None or y.content is None else x.content.joined(y.content)
    return Known(common_shape(x.shape, y.shape), None, content)


def _stated_shapes(c: ShapeContext, number: int) -> list[TensorShape]:
    """What the op itself states, where it is not looked into."""
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
    branches = _if_branches(c)
    pred = c.const("cond")
    taken = branches if pred is None else [branches[_truth(pred)]]
    return _joined_shapes(c, taken, "input")


@CASE.shape
@STATELESS_CASE.shape
@_as_far_as_known
def _case_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("branch_index", rank=0)
    branches = _case_branches(c)
    index = c.const("branch_index")
    taken = branches if index is None else [branches[_in_range(index, len(branches))]]
    return _joined_shapes(c, taken, "input")


@PARTITIONED_CALL.shape
@STATEFUL_PARTITIONED_CALL.shape
@_as_far_as_known
def _call_shape(c: ShapeContext) -> list[TensorShape]:
    return _joined_shapes(c, [_branch(c, c.attr("f"))], "args")


@IF.kernel
@STATELESS_IF.kernel
def _if_kernel(c: KernelContext) -> Kernel:
    given = _known(c, c.inputs("input"))
    packed = _results_of(c)
    runs = [c.bodies(body, given, c.depth) for body in _if_branches(c)]

    def branch(cond: Array, *inputs: Array) -> Any:
        run = runs[_truth(cond)]
        try:
            return packed(run.run(*inputs))
        except Exception as error:
            raise run.told(error) from error

    return branch


@CASE.kernel
@STATELESS_CASE.kernel
def _case_kernel(c: KernelContext) -> Kernel:
    given = _known(c, c.inputs("input"))
    packed = _results_of(c)
    runs = [c.bodies(body, given, c.depth) for body in _case_branches(c)]

    def branch(branch_index: Array, *inputs: Array) -> Any:
        run = runs[_in_range(branch_index, len(runs))]
        try:
            return packed(run.run(*inputs))
        except Exception as error:
            raise run.told(error) from error

    return branch


@PARTITIONED_CALL.kernel
@STATEFUL_PARTITIONED_CALL.kernel
def _call_kernel(c: KernelContext) -> Kernel:
    packed = _results_of(c)
    run = c.bodies(_branch(c, c.attr("f")), _known(c, c.inputs("args")), c.depth)

    def call(*args: Array) -> Any:
        try:
            return packed(run.run(*args))
        except Exception as error:
            raise run.told(error) from error

    return call


def _results_of(c: OpContext) -> Callable[[Sequence[Array]], Any]:
    """What makes of the results of a body what a kernel returns: of one, the array itself."""
    return itemgetter(0) if len(c.node.outputs) == 1 else tuple


def _truth(value: Array) -> bool:
    """Whether a predicate holds: a scalar that is not zero or empty, or an array with elements."""
    return bool(value.item() if value.ndim == 0 else value.size)


def _in_range(index: Array, number: int) -> int:
    """The branch of an index; the last one stands for those that there are not."""
    i = int(index)
    return i if 0 <= i < number else number - 1


# Loops -------------------------------------------------------------------------------------------


def _loop(c: OpContext) -> tuple[Body, Body]:
    """The condition and the body of a loop, which fit it."""
    cond, body = _body(c, c.attr("cond")), _body(c, c.attr("body"))
    _check_dtypes(cond, "takes", cond.inputs, c.attr("T"))
    _check_dtypes(body, "takes", body.inputs, c.attr("T"))
    _check_dtypes(body, "returns", body.outputs, c.attr("T"))
    if len(cond.outputs) != 1:
        raise ValueError(
            f"the condition {cond.name!r} must return one tensor, got {len(cond.outputs)}"
        )
    return cond, body


def _stable(c: OpContext, body: Body) -> list[Known]:
    """What is known of the variables of a loop in every round.

    The body is followed until it keeps what is known of its inputs. A variable that the body hands
    on as it is keeps all that is known of it.
    """
    edges = c.inputs("input")
    state = _known(c, edges)
    kept = [x is y for x, y in zip(body.inputs, body.outputs, strict=True)]
    if c.depth >= DEEPEST_INFERENCE:
        return [known if keeps else Known() for known, keeps in zip(state, kept, strict=True)]
    state = [
        known if keeps else known._replace(value=None)
        for known, keeps in zip(state, kept, strict=True)
    ]
    free: set[Any] = set()
    while True:
        results = body.known_outputs(body.inferred(state, c.depth + 1))
        widened = [
            before if keeps else _widened(before, after, free)
            for before, after, keeps in zip(state, results, kept, strict=True)
        ]
        if all(x is y for x, y in zip(state, widened, strict=True)):
            return state
        state = widened


def _widened(before: Known, after: Known, free: set[Any]) -> Known:
    """What is known of a variable before and after a round; `before` itself if nothing is lost.

    A size that changes is a symbol from then on, one of `free`, which stands for any size.
    """
    joined = _joined(before, after)
    shape, content = before.shape, before.content
    if joined.shape.sizes is None:
        shape = shape if shape.sizes is None else joined.shape
    elif joined.shape.sizes != shape.sizes:
        sizes = [
            old if new is None and old in free else new
            for old, new in zip(shape.sizes or (), joined.shape.sizes, strict=True)
        ]
        if None in sizes:
            shape = identified(TensorShape.of(tuple(sizes)))
            free.update(set(shape.sizes or ()) - set(sizes))
    if not _same_content(joined.content, content):
        content = joined.content
    if shape is before.shape and content is before.content:
        return before
    return Known(shape, None, content)


def _same_content(x: Any, y: Any) -> bool:
    if x is None or y is None:
        return x is y
    if (x.length is None) != (y.length is None) or (x.element is None) != (y.element is None):
        return False
    same_length = x.length is None or equal(x.length, y.length) is True
    shapes = [(x.declared, y.declared), (x.element or x.declared, y.element or y.declared)]
    return same_length and all(a.sizes == b.sizes for a, b in shapes)


@WHILE.shape
@STATELESS_WHILE.shape
@_as_far_as_known
def _while_shape(c: ShapeContext) -> list[TensorShape]:
    cond, body = _loop(c)
    state = _stable(c, body)
    if c.depth < DEEPEST_INFERENCE:
        cond.inferred(state, c.depth + 1)
    for i, known in enumerate(state):
        c.hold(known.content, i)
    return [known.shape for known in state]


@WHILE.kernel
@STATELESS_WHILE.kernel
def _while_kernel(c: KernelContext) -> Kernel:
    cond_body, body_body = _loop(c)
    state = _stable(c, body_body)
    packed = _results_of(c)
    cond, body = (c.bodies(part, state, c.depth) for part in (cond_body, body_body))

    def loop(*state: Array) -> Any:
        part, number = cond, 1
        check = deadline.check
        try:
            while _truth(cond.run(*state)[0]):
                part = body
                state = body.run(*state)
                part, number = cond, number + 1
                if check is not None:
                    check()
        except Exception as error:
            raise _in_round(part.told(error), number) from error
        return packed(state)

    return loop


def _in_round(error: Exception, number: int) -> Exception:
    """The error, with the round told in which it happened."""
    if not isinstance(error, errors.OpError):
        return error
    return type(error)(None, error.op, f"{error.message}\n  in round {number}")
