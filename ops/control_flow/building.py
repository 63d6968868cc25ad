"""Ops for branches and loops, built by calling Python functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any

from ...graph.bodies import Body
from ...graph.convert import convert_to_tensor
from ...graph.default_graph import get_default_graph
from ...graph.graph import Graph
from ...graph.indexed_slices import IndexedSlices
from ...graph.node import Operation, Tensor
from ...protos.attr_codec import encode_attr
from ...protos.dtypes import int64
from ...protos.messages import NameAttrList
from ...shape_inference.handle_data import common_shape
from ...shape_inference.tensor_shape import TensorShape
from ..array.cast import cast
from ..array.constants import constant
from ..array.identity import identity
from ..common.structures import check_alike, flat, packed
from ..math.arithmetic import add
from ..math.comparison import less
from ..math.logical import logical_and
from .body_graph import BodyGraph
from .components import leaf_of, mapped, packed_components, tensors_of, with_leaves
from .invariants import check_kept, shapes_kept, widened
from .structured import CASE, IF, STATELESS_CASE, STATELESS_IF, STATELESS_WHILE, WHILE
from .variable_reuse import Rounds

COND_KINDS = IF, STATELESS_IF
CASE_KINDS = CASE, STATELESS_CASE
"""Traits of an op that runs one of several functions: with state and without."""


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
    names = ["then_branch", "else_branch"]

    def attrs(funcs: list[NameAttrList]) -> dict[str, Any]:
        return {"Tcond": pred.dtype.base_dtype, **dict(zip(names, funcs, strict=True))}

    labels = ["true", "false"]
    return _chosen(pred, branches, labels, scope, check, COND_KINDS, attrs, "Merge")


def built_case(
    index: Tensor, branches: Sequence[Callable[[], Any]], scope: str, check: Callable[..., None]
) -> Any:
    """A `Case` of several functions, of which the last stands for all indices out of range.

    Args are those of `built_cond`.
    """

    def attrs(funcs: list[NameAttrList]) -> dict[str, Any]:
        return {"branches": funcs}

    labels = [f"branch{i}" for i in range(len(branches))]
    return _chosen(index, branches, labels, scope, check, CASE_KINDS, attrs, "Identity")


def _chosen(
    what: Tensor,
    branches: Sequence[Callable[[], Any]],
    labels: Sequence[str],
    scope: str,
    check: Callable[..., None],
    kinds: Sequence[Any],
    attrs_of: Callable[[list[NameAttrList]], dict[str, Any]],
    name: str,
) -> Any:
    """An op that runs one of several functions, and what that returns."""
    graph = get_default_graph()
    inners: list[BodyGraph] = []
    results, leaves = [], []
    for function in branches:
        inner = BodyGraph(graph, "a branch of a conditional")
        with inner.as_default():
            result = with_leaves(function())
            results.append(result)
            leaves.append([inner.leaf(leaf) for leaf in flat(result)])
        inners.append(inner)
    _widen_indices(inners, leaves)
    for result, own in zip(results[1:], leaves[1:], strict=True):
        check(packed(results[0], leaves[0]), packed(result, own))
    returned = []
    for inner, own in zip(inners, leaves, strict=True):
        with inner.as_default():
            returned.append([as_value(tensor) for tensor in mapped(inner.captured, own)])
    outer = _captured(inners)
    bodies = [
        inner.body(function_name(graph, f"{scope}{label}"), outer, tensors)
        for inner, tensors, label in zip(inners, returned, labels, strict=True)
    ]
    passed = [graph.captured(tensor) for tensor in outer]
    attrs = {
        "Tin": [tensor.dtype for tensor in passed],
        "Tout": [tensor.dtype.base_dtype for tensor in returned[0]],
        "output_shapes": [
            reduce(common_shape, [tensor.shape for tensor in column])
            for column in zip(*returned, strict=True)
        ],
        **attrs_of([NameAttrList(name=body.name) for body in bodies]),
    }
    inputs = [graph.captured(what), *passed]
    op = _made(graph, kinds, inputs, attrs, f"{scope}{kinds[0].name}", bodies, inners)
    merged = [identity(tensor, name=name) for tensor in op.outputs]
    return packed_components(results[0], leaves[0], merged)


def _widen_indices(graphs: Sequence[Graph], leaves: Sequence[list[Any]]) -> None:
    """Casts the indices of IndexedSlices to int64 where those of another branch are int64."""
    for place in range(min(map(len, leaves))):
        column = [own[place] for own in leaves]
        if not all(isinstance(leaf, IndexedSlices) for leaf in column):
            continue
        if len({leaf.indices.dtype for leaf in column}) > 1:
            for graph, own, leaf in zip(graphs, leaves, column, strict=True):
                with graph.as_default():
                    wide = cast(leaf.indices, int64)
                    own[place] = IndexedSlices(leaf.values, wide, leaf.dense_shape)


def built_while(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    structure: Any,
    scope: str,
    shape_invariants: Any = None,
    maximum_iterations: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
) -> Any:
    """A `While` of two functions of the variables in `structure`.

    Args:
        cond: from the variables to whether there is another iteration.
        body: from the variables to those of the next iteration.
        structure: the first variables, in a list or tuple.
        scope: the name scope, with "/" at its end.
        shape_invariants: their static shapes in every iteration.
        maximum_iterations: upper bound of the number of iterations.
        parallel_iterations: kept in the op.
        back_prop: whether gradients may pass; otherwise the op says so.
    """
    graph = get_default_graph()
    structure = with_leaves(structure)
    first = [leaf_of(leaf) for leaf in flat(structure)]
    structure = packed(structure, first)
    starts = [as_value(graph.captured(tensor)) for leaf in first for tensor in tensors_of(leaf)]
    shapes = shapes_kept(structure, first, shape_invariants)
    counted = maximum_iterations is not None
    most: Any = None
    if counted:
        most = convert_to_tensor(maximum_iterations, "int32", "maximum_iterations")
        if most.shape.rank not in (0, None):
            raise ValueError(f"maximum_iterations must be a scalar, got shape {most.shape}")
        starts = [constant(0, name="iteration_counter"), *starts]
        shapes = [TensorShape([]), *shapes]
    rounds = Rounds(graph)
    kept: Sequence[TensorShape] = shapes
    attempt = 0
    while True:
        with rounds.round(attempt):
            loop = _Loop(graph, cond, body, structure, first, starts, kept, most)
        check_kept(starts, shapes, loop.results)
        wider = widened(kept, loop.results)
        if wider is kept:
            return loop.built(scope, shapes, parallel_iterations, back_prop)
        kept, attempt = wider, attempt + 1  # every size is lost once at most


class _Loop:
    """The two bodies of a loop, for variables of some shapes."""

    def __init__(
        self,
        graph: Graph,
        cond: Callable[..., Any],
        body: Callable[..., Any],
        structure: Any,
        first: Sequence[Any],
        starts: Sequence[Tensor],
        shapes: Sequence[TensorShape],
        most: Tensor | None,
    ) -> None:
        self.graph, self.structure, self.first, self.starts = graph, structure, first, starts
        self.counted = counted = most is not None
        self.asking = asking = BodyGraph(graph, "a while loop")
        with asking.as_default():
            arguments = [asking.argument(*pair) for pair in zip(starts, shapes, strict=True)]
            asked = convert_to_tensor(cond(*self._packed(arguments)), name="asked")
            if asked.dtype.base_dtype.name != "bool":
                raise TypeError(f"cond must return a bool, got {asked!r}")
            if asked.shape.rank not in (0, None):
                raise ValueError(f"cond must return a scalar, got shape {asked.shape}")
            if most is not None:
                asked = logical_and(less(arguments[0], most), asked)
            self.asked = as_value(asking.captured(asked))
        self.running = running = BodyGraph(graph, "a while loop")
        with running.as_default():
            arguments = [running.argument(*pair) for pair in zip(starts, shapes, strict=True)]
            made = with_leaves(body(*self._packed(arguments)))
            leaves = self._leaves(made)
            results = [as_value(tensor) for tensor in mapped(running.captured, leaves)]
            self.results = [*([add(arguments[0], 1)] if counted else []), *results]

    def _packed(self, given: Sequence[Tensor]) -> Any:
        """The arguments of the functions."""
        return packed_components(self.structure, self.first, given[self.counted :])

    def _leaves(self, made: Any) -> list[Any]:
        """The results of the body, leaf by leaf.

        Raises:
            TypeError: it is nested in other lists, tuples or dicts than the variables, or one is
                of another dtype, or no TensorArray where the variable is one.
            ValueError: it has another number of elements.
        """
        result = list(made) if isinstance(made, (list, tuple)) else [made]
        check_alike(list(self.structure), result)
        leaves = []
        for leaf, start in zip(flat(result), self.first, strict=True):
            dtypes = [tensor.dtype.base_dtype for tensor in tensors_of(start)]
            new = self.running.leaf(leaf, dtypes[0])
            if type(new) is not type(start) or len(tensors_of(new)) != len(dtypes):
                raise TypeError(f"the body must return what is like {start!r} for it, got {new!r}")
            for tensor, dtype in zip(tensors_of(new), dtypes, strict=True):
                if tensor.dtype.base_dtype is not dtype:
                    raise TypeError(
                        f"Loop var {start.name!r} enters the loop with type {dtype.name} but has "
                        f"type {tensor.dtype.base_dtype.name} after 1 iteration"
                    )
            leaves.append(new)
        return leaves

    def built(
        self,
        scope: str,
        shapes: Sequence[TensorShape],
        parallel_iterations: int,
        back_prop: bool,
    ) -> Any:
        """The op, and what it returns."""
        graph, starts = self.graph, self.starts
        asking, running = self.asking, self.running
        outer = _captured([asking, running])
        asking_body = asking.body(function_name(graph, f"{scope}cond"), outer, [self.asked])
        ends = [*self.results, *(running.captured(tensor) for tensor in outer)]
        running_body = running.body(function_name(graph, f"{scope}body"), outer, ends)
        passed = [*starts, *(graph.captured(tensor) for tensor in outer)]
        attrs = {
            "T": [tensor.dtype for tensor in passed],
            "cond": NameAttrList(name=asking_body.name),
            "body": NameAttrList(name=running_body.name),
            "parallel_iterations": parallel_iterations,
            "output_shapes": [*shapes, *(tensor.shape for tensor in passed[len(starts) :])],
        }
        if not back_prop:
            attrs["_back_prop"] = encode_attr(False, "bool")
        both = [asking_body, running_body]
        kinds = (WHILE, STATELESS_WHILE)
        op = _made(graph, kinds, passed, attrs, f"{scope}While", both, [asking, running])
        exits = [identity(tensor, name="Exit") for tensor in op.outputs[: len(starts)]]
        return packed_components(self.structure, self.first, exits[self.counted :])


def as_value(tensor: Tensor) -> Tensor:
    """The tensor; of a reference to a variable, the value that it has here."""
    return identity(tensor) if tensor.dtype.is_ref_dtype else tensor


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
    attrs["_lower_using_switch_merge"] = encode_attr(True, "bool")
    stateful = any(body.effects for body in bodies)
    waits = list(dict.fromkeys(op for inner in inners for op in inner.awaited))
    with graph.control_dependencies(waits):
        return graph.add(kinds[0 if stateful else 1], inputs, attrs, graph.unique_name(f"{name}/"))


def _captured(inners: Iterable[BodyGraph]) -> list[Tensor]:
    return list(dict.fromkeys(tensor for inner in inners for tensor in inner.captures))


def function_name(graph: Graph, name: str) -> str:
    """A name for a function that none of the graph has, after the name of what has it."""
    base = name.replace("/", "_").replace(".", "_")
    free, number = base, 0
    while free in graph.functions or (free, b"") in graph.bodies:
        number += 1
        free = f"{base}_{number}"
    return free
