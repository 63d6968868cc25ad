"""Branches and loops built by calls of functions: what a run decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph.convert import convert_to_tensor
from ...graph.default_graph import get_default_graph
from ...protos.attr_codec import encode_attr
from ...protos.messages import NameAttrList
from ...shape_inference.tensor_shape import TensorShape
from ..array.constants import constant, identity
from ..kit.structures import flat, packed
from ..math.arithmetic import add
from ..math.comparison import less, logical_and
from .body_graph import BodyGraph
from .structured import IF, STATELESS_IF, STATELESS_WHILE, WHILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ...graph.bodies import Body
    from ...graph.graph import Graph
    from ...graph.node import Operation, Tensor


def built_cond(
    pred: Tensor, branches: Sequence[Callable[[], Any]], scope: str, check: Callable[..., None]
) -> Any:
    """An `If` of two functions, of which the first is for a predicate that holds.

    Args:
        pred: the predicate.
        branches: the functions.
        scope: the name scope, with "/" at its end.
        check: refuses what two branches return if it is not alike.
    """
    graph = get_default_graph()
    parts = []
    for function in branches:
        inner = BodyGraph(graph)
        with inner.as_default():
            result = function()
            parts.append((inner, result, [inner.result(leaf) for leaf in flat(result)]))
    check(*(packed(result, leaves) for _, result, leaves in parts))
    inners = [inner for inner, _, _ in parts]
    outer = _captured(inners)
    bodies = [
        inner.body(_function_name(graph, f"{scope}{name}"), outer, leaves)
        for (inner, _, leaves), name in zip(parts, ("true", "false"), strict=True)
    ]
    passed = [graph.captured(tensor) for tensor in outer]
    attrs = {
        "Tcond": pred.dtype.base_dtype,
        "Tin": [tensor.dtype.base_dtype for tensor in passed],
        "Tout": [tensor.dtype.base_dtype for tensor in parts[0][2]],
        "then_branch": NameAttrList(name=bodies[0].name),
        "else_branch": NameAttrList(name=bodies[1].name),
    }
    pred = graph.captured(pred)
    op = _made(graph, (IF, STATELESS_IF), [pred, *passed], attrs, f"{scope}If", bodies, inners)
    merged = [identity(tensor, name="Merge") for tensor in op.outputs]
    return packed(parts[0][1], merged)


def built_while(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    structure: Any,
    scope: str,
    shape_invariants: Any = None,
    maximum_iterations: Any = None,
) -> Any:
    """A `While` of two functions of the variables in `structure`.

    Args:
        cond: from the variables to whether there is another round.
        body: from the variables to those of the next round.
        structure: the first variables.
        scope: the name scope, with "/" at its end.
        shape_invariants: what is known of their shapes in every round.
        maximum_iterations: the most rounds.
    """
    graph = get_default_graph()
    starts = [graph.captured(convert_to_tensor(leaf)) for leaf in flat(structure)]
    shapes = _invariants(starts, shape_invariants)
    counted = maximum_iterations is not None
    most: Any = None
    if counted:
        starts = [constant(0), *starts]
        shapes = [TensorShape([]), *shapes]
        most = convert_to_tensor(maximum_iterations, "int32")
    asking, running = BodyGraph(graph), BodyGraph(graph)
    with asking.as_default():
        given = [asking.argument(*pair) for pair in zip(starts, shapes, strict=True)]
        asked = convert_to_tensor(cond(*packed(structure, given[counted:])), "bool")
        asked = logical_and(less(given[0], most), asked) if counted else asking.captured(asked)
        if asked.shape.rank not in (0, None):
            raise ValueError(f"cond must return a scalar, got shape {asked.shape}")
    with running.as_default():
        given = [running.argument(*pair) for pair in zip(starts, shapes, strict=True)]
        made = flat(body(*packed(structure, given[counted:])))
        if len(made) != len(given) - counted:
            raise ValueError(f"body must return {len(given) - counted} tensors, got {len(made)}")
        results = [
            running.captured(convert_to_tensor(leaf, start.dtype.base_dtype))
            for leaf, start in zip(made, starts[counted:], strict=True)
        ]
        results = [*([add(given[0], 1)] if counted else []), *results]
    _check_invariants(starts, shapes, results)
    outer = _captured([asking, running])
    asking_body = asking.body(_function_name(graph, f"{scope}cond"), outer, [asked])
    ends = [*results, *(running.captured(tensor) for tensor in outer)]
    running_body = running.body(_function_name(graph, f"{scope}body"), outer, ends)
    passed = [*starts, *(graph.captured(tensor) for tensor in outer)]
    attrs = {
        "T": [tensor.dtype.base_dtype for tensor in passed],
        "cond": NameAttrList(name=asking_body.name),
        "body": NameAttrList(name=running_body.name),
        "parallel_iterations": 10,
    }
    both = [asking_body, running_body]
    kinds = (WHILE, STATELESS_WHILE)
    op = _made(graph, kinds, passed, attrs, f"{scope}While", both, [asking, running])
    outputs = op.outputs[counted : len(starts)]
    return packed(structure, [identity(tensor, name="Exit") for tensor in outputs])


def _made(
    graph: Graph,
    kinds: Sequence[Any],
    inputs: Sequence[Tensor],
    attrs: dict[str, Any],
    name: str,
    bodies: Iterable[Body],
    inners: Iterable[BodyGraph],
) -> Operation:
    """The op, with state if one of the bodies has."""
    attrs["output_shapes"] = []
    attrs["_lower_using_switch_merge"] = encode_attr(True, "bool")
    stateful = any(body.effects for body in bodies)
    waits = list(dict.fromkeys(op for inner in inners for op in inner.awaited))
    with graph.control_dependencies(waits):
        return graph.add(kinds[0 if stateful else 1], inputs, attrs, graph.unique_name(f"{name}/"))


def _captured(inners: Iterable[BodyGraph]) -> list[Tensor]:
    return list(dict.fromkeys(tensor for inner in inners for tensor in inner.captures))


def _function_name(graph: Graph, name: str) -> str:
    base = name.replace("/", "_").replace(".", "_")
    free, number = base, 0
    while free in graph.functions:
        number += 1
        free = f"{base}_{number}"
    return free


def _invariants(starts: Sequence[Tensor], invariants: Any) -> list[TensorShape]:
    """The shapes that the variables have in every round.

    Raises:
        ValueError: there is not one for each variable, or a variable does not begin with it.
    """
    if invariants is None:
        return [tensor.shape for tensor in starts]
    shapes = _flat_shapes(invariants)
    if len(shapes) != len(starts):
        raise ValueError(
            f"shape_invariants must hold {len(starts)} shapes, one a variable, got {len(shapes)}"
        )
    for tensor, shape in zip(starts, shapes, strict=True):
        if not tensor.shape.is_compatible_with(shape):
            raise ValueError(
                f"the shape invariant {shape} is not compatible with {tensor.name!r}, which has "
                f"shape {tensor.shape}"
            )
    return shapes


def _flat_shapes(invariants: Any) -> list[TensorShape]:
    if isinstance(invariants, TensorShape):
        return [invariants]
    if isinstance(invariants, dict):
        return [item for key in sorted(invariants) for item in _flat_shapes(invariants[key])]
    return [item for part in invariants for item in _flat_shapes(part)]


def _check_invariants(
    starts: Sequence[Tensor], shapes: Sequence[TensorShape], results: Sequence[Tensor]
) -> None:
    for start, shape, result in zip(starts, shapes, results, strict=True):
        if start.dtype.base_dtype is not result.dtype.base_dtype:
            raise TypeError(
                f"the body must keep dtypes: {start.name!r} is {start.dtype.base_dtype.name}, and "
                f"becomes {result.dtype.base_dtype.name}"
            )
        known, new = shape.as_list() if shape.rank is not None else None, result.shape
        if known is None:
            continue
        sizes = None if new.rank is None else new.as_list()
        if (
            sizes is None
            or len(sizes) != len(known)
            or any(m is not None and m != n for m, n in zip(known, sizes, strict=True))
        ):
            raise ValueError(
                f"the shape of {start.name!r} is not an invariant for the loop: it enters with "
                f"{shape}, and is {new} after a round; give shape_invariants that hold for both"
            )
