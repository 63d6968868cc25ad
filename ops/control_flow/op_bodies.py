"""The bodies of branches and loops, and what is known of what passes through them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph.bodies import DEEPEST_INFERENCE, Body, Known
from ...graph.importing.function_bodies import body_of
from ...shape_inference.contents import common_shape
from ...shape_inference.inference import identified
from ...shape_inference.symbolic.symbolic import equal
from ...shape_inference.tensor_shape import TensorShape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...shape_inference.context import OpContext
    from ...shape_inference.protocols import Edge


def if_branches(c: OpContext) -> list[Body]:
    """What an `If` runs where its predicate does not hold, and where it does."""
    return [branch_of(c, c.attr("else_branch")), branch_of(c, c.attr("then_branch"))]


def case_branches(c: OpContext) -> list[Body]:
    """The branches of a `Case`."""
    return [branch_of(c, func) for func in c.attr("branches")]


def branch_of(c: OpContext, func: Any) -> Body:
    """A function that takes and returns what the op does.

    Raises:
        ValueError: it does not.
    """
    body = _body(c, func)
    _check_dtypes(body, "takes", body.inputs, c.attr("Tin"))
    _check_dtypes(body, "returns", body.outputs, c.attr("Tout"))
    return body


def _body(c: OpContext, func: Any) -> Body:
    graph: Any = c.node.graph  # type: ignore[attr-defined]
    return body_of(graph, func)


def _check_dtypes(body: Body, does: str, tensors: Sequence[Edge], dtypes: Sequence[Any]) -> None:
    found = [tensor.dtype for tensor in tensors]
    if does == "returns":  # a reference is read, where a value is returned
        pairs = zip(found, dtypes, strict=False)
        found = [x if y.is_ref_dtype else x.base_dtype for x, y in pairs] + found[len(dtypes) :]
    if found != list(dtypes):
        names = [", ".join(dtype.name for dtype in some) for some in (found, dtypes)]
        raise ValueError(
            f"the function {body.name!r} {does} ({names[0]}), where the op has ({names[1]})"
        )


def known_inputs(c: OpContext, edges: Sequence[Edge]) -> list[Known]:
    """What is known of inputs, for a body: while a graph is built, or while a plan is made."""
    get: Any = getattr(c, "const_of", None) or c.value_of  # type: ignore[attr-defined]
    return [Known(c.shape_of(edge), get(edge), c.content_of(edge)) for edge in edges]


def joined(x: Known, y: Known) -> Known:
    """What is known of a tensor that is one of two."""
    content = None if x.content is None or y.content is None else x.content.joined(y.content)
    return Known(common_shape(x.shape, y.shape), None, content)


def loop_bodies(c: OpContext) -> tuple[Body, Body]:
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


def stable_state(c: OpContext, body: Body) -> list[Known]:
    """What is known of the variables of a loop in every round.

    The body is followed until it keeps what is known of its inputs. A variable that the body hands
    on as it is keeps all that is known of it.
    """
    edges = c.inputs("input")
    state = known_inputs(c, edges)
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
    both = joined(before, after)
    shape, content = before.shape, before.content
    if both.shape.sizes is None:
        shape = shape if shape.sizes is None else both.shape
    elif both.shape.sizes != shape.sizes:
        sizes = [
            old if new is None and old in free else new
            for old, new in zip(shape.sizes or (), both.shape.sizes, strict=True)
        ]
        if None in sizes:
            shape = identified(TensorShape.of(tuple(sizes)))
            free.update(set(shape.sizes or ()) - set(sizes))
    if not _same_content(both.content, content):
        content = both.content
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
