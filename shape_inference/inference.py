"""The engine: the shape of every tensor, and the value of small ones, before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np

from ..protos.dtypes import DType
from .context import KernelContext, Requirement, ShapeContext, is_symbolic
from .handle_data import HandleData
from .protocols import Array, Edge, Node, aliased, assigned
from .seen_shapes import SeenShapes, identified
from .symbolic.symbolic import DimExpr, dim_symbol, less_equal
from .tensor_shape import TensorShape
from .traits import Bodies, Stack

# An element of a value at build time costs a Python object, so only tensors as small as shapes,
# paddings and index lists are followed symbol by symbol; constants may be larger.
_MOST_SYMBOLIC_ELEMENTS = 256
_MOST_CONSTANT_ELEMENTS = 1 << 16
_MOST_DIMENSIONS = 64  # of a NumPy array
_ROOM_BITS = 11

_UNKNOWN = TensorShape(None)


class Inference:
    """Shapes and values of the tensors of a graph, as they are known before a run.

    Args:
        depth: how many bodies of functions are around the graph.

    A shape's sizes are ints or dimension expressions: an unknown size gets a symbol of
    its own, so that two tensors which share it are known to agree. A value is worked out when it
    is first asked for, by the op's own kernel on an array whose elements may be expressions.

    Attributes:
        requirements: what must hold in every run, and cannot be decided before.
        reshaping: the ops that may give a variable a value of another shape than it declares, and
            that variable. Its declared shape stands in the graph, as in TensorFlow; plans do not
            rely on it.
    """

    def __init__(self, depth: int = 0) -> None:
        self.depth = depth
        self.requirements: list[Requirement] = []
        self.reshaping: dict[Node, Edge] = {}
        self._shapes: dict[Edge, TensorShape] = {}
        self._values: dict[Edge, Array | None] = {}
        self._seen = SeenShapes()
        # Sizes that depend on the data, of which there is little: perhaps constants only.
        self._bounded: set[Edge] = set()
        # A node may imply more about an edge of unknown rank, which holds wherever that node runs.
        self._read: dict[Node, dict[Edge, TensorShape]] = {}
        self._with_rank: dict[Edge, dict[int, TensorShape]] = {}
        self._with_sizes: dict[Edge, dict[Any, Array | None]] = {}
        self._contents: dict[Edge, HandleData] = {}

    def content(self, edge: Edge) -> HandleData | None:
        """Facts about the object behind the handle `edge`."""
        return self._contents.get(edge)

    def set_content(self, edge: Edge, content: HandleData | None) -> None:
        """Sets the facts about the object behind the handle `edge`."""
        if content is None:
            self._contents.pop(edge, None)
        else:
            self._contents[edge] = content

    def set_value(self, edge: Edge, value: Array | None) -> None:
        """Sets the known elements of `edge`; None leaves them to its kernel."""
        if value is None:
            self._values.pop(edge, None)
        else:
            self._values[edge] = _tidy(value, edge.dtype)

    def explain(self, edge: Edge, why: str) -> None:
        """Records why less is known of `edge` than expected, for checkers to report."""

    def shape(self, edge: Edge) -> TensorShape:
        """Static shape of `edge`."""
        return self._shapes.get(edge, _UNKNOWN)

    def require(self, requirement: Requirement) -> None:
        """Records what must hold in every run of an op, and cannot be decided before."""
        self.requirements.append(requirement)

    def read_as(self, node: Node, edge: Edge, shape: TensorShape) -> None:
        """Notes that `edge`, whose rank is unknown, has this shape in every run of `node`."""
        self._read.setdefault(node, {})[edge] = shape

    def read_with_rank(self, node: Node, edge: Edge, rank: int) -> TensorShape:
        """The shape that `edge`, whose rank is unknown, has where `node` runs, which needs it."""
        shapes = self._with_rank.setdefault(edge, {})
        shape = shapes.get(rank)
        if shape is None:
            # A vector that is stacked of tensors of unknown rank holds one element of each.
            packed = rank == 1 and isinstance(edge.op.definition.traits, Stack)
            sizes = [len(edge.op.inputs)] if packed else [dim_symbol() for _ in range(rank)]
            shape = shapes[rank] = TensorShape.of(tuple(sizes))
        self.read_as(node, edge, shape)
        return shape

    def value_read(self, node: Node, edge: Edge) -> Array | None:
        """Known elements of `edge` where `node` runs."""
        value = self.value(edge)
        shape = self._read.get(node, {}).get(edge)
        if value is not None or shape is None:
            return value
        values = self._with_sizes.setdefault(edge, {})
        if shape.sizes not in values:
            values[shape.sizes] = _opaque(edge.dtype, shape)
        return values[shape.sizes]

    def declare(self, edge: Edge, shape: TensorShape, value: Array | None = None) -> None:
        """States the shape of `edge`, for a tensor whose value comes from outside."""
        self._shapes[edge] = identified(shape)
        self._values[edge] = value

    def refine(self, edge: Edge, shape: TensorShape) -> None:
        """Merges `shape` into what is known of `edge`.

        Raises:
            ValueError: the two contradict each other.
        """
        self._shapes[edge] = identified(self.shape(edge).merge_with(shape))

    def forget(self, nodes: Iterable[Node]) -> None:
        """Drops what is known of `nodes`, which have left the graph, and of their outputs."""
        gone = set(nodes)
        for node in gone:
            self._read.pop(node, None)
            self.reshaping.pop(node, None)
            for edge in node.outputs:
                for known in (self._shapes, self._values, self._with_rank, self._with_sizes):
                    known.pop(edge, None)
                self._contents.pop(edge, None)
                self._bounded.discard(edge)
        if self.requirements:
            self.requirements[:] = [item for item in self.requirements if item.node not in gone]

    def infer(self, node: Node) -> None:
        """Works out the shapes of the outputs of `node` from what is known of its inputs.

        Raises:
            ValueError: the inputs do not fit together.
        """
        outputs = node.outputs
        definition = node.definition
        key: tuple[Any, ...] | None = None
        given: list[TensorShape] = []
        if definition.from_shapes:
            given = [self._shapes.get(edge, _UNKNOWN) for edge in node.inputs]
            key = (definition, *map(id, given))
            seen = self._seen.inferred.get(key)
            if seen is not None:
                self._shapes[outputs[0]], unsure, _ = seen
                if unsure is not None and self._bounded.issuperset(
                    [node.inputs[i] for i in unsure]
                ):
                    self._bounded.add(outputs[0])
                return
        if definition.traits.aliases is not None:
            self._hide_value(outputs[0])
        function = definition.shape_function
        if function is None:
            return
        required = len(self.requirements)
        try:
            shapes = function(ShapeContext(node, self))
        except Exception:
            del self.requirements[required:]
            raise
        if len(outputs) == 1 and isinstance(shapes, TensorShape):
            shapes = (shapes,)
        unsized = []
        for edge, shape in zip(outputs, shapes or (), strict=True):
            self._shapes[edge] = self._seen.one(shape)
            if not shape.is_fully_defined():
                unsized.append(edge)
        # Values with a new symbol, or with requirements on this node, are computed each time.
        if key is not None and len(self.requirements) == required:
            sizes = shapes[0].sizes
            if sizes is not None and None not in sizes:
                unsure = self._unsure(node.inputs) if unsized else None
                self._seen.inferred[key] = self._shapes[outputs[0]], unsure, given
        if unsized and all(map(self._is_bounded, node.inputs)):
            self._bounded.update(unsized)
        variable = assigned(node)
        if variable is not None and self._is_reshaped(variable, outputs[0]):
            self.reshaping[node] = variable

    def _unsure(self, edges: Sequence[Edge]) -> list[int] | None:
        """Subset of `edges` that must be bounded for all to be; None if one is known not to be."""
        unsure = []
        for i, edge in enumerate(edges):
            size = self.shape(edge).num_elements()
            if size is None:
                unsure.append(i)
            elif size > _MOST_SYMBOLIC_ELEMENTS:
                return None
        return unsure

    def _is_reshaped(self, variable: Edge, update: Edge) -> bool:
        """Returns whether the value of `update` may have another shape than `variable`."""
        declared = self.shape(variable).sizes
        return declared is not None and self.shape(update).sizes != declared

    def _is_bounded(self, edge: Edge) -> bool:
        size = self.shape(edge).num_elements()
        return edge in self._bounded if size is None else size <= _MOST_SYMBOLIC_ELEMENTS

    def _hide_value(self, updated: Edge) -> None:
        """Forgets the value of a tensor that is updated in place, for those who read it later."""
        edge: Edge | None = updated
        while edge is not None:
            self._values[edge] = None
            edge = aliased(edge)

    def value(self, edge: Edge) -> Array | None:
        """Known elements of `edge`: see `ShapeContext.value`."""
        if edge.dtype.is_ref_dtype:
            return None  # each reader may find another value
        values = self._values
        if edge in values:
            return self._symbols(edge) if values[edge] is None else values[edge]
        # Depth first without recursion: a graph may be deeper than Python's stack.
        pending = [edge]
        while pending:
            current = pending[-1]
            if current in values:
                pending.pop()
                continue
            missing = [
                source
                for source in self._sources(current)
                if source not in values and source is not current and not source.dtype.is_ref_dtype
            ]
            if missing:
                pending.extend(missing)
            else:
                self._evaluate(current)
                pending.pop()
        return self._symbols(edge) if values[edge] is None else values[edge]

    def _sources(self, edge: Edge) -> Sequence[Edge]:
        """The tensors whose values are needed for that of `edge`."""
        definition = edge.op.definition
        if definition.value_function is not None:
            return [source for source in edge.op.inputs if source in self._bounded]
        if not definition.pure or isinstance(definition.traits, Bodies):
            return ()
        return edge.op.inputs if self._worth_knowing(edge) else ()

    def _worth_knowing(self, edge: Edge) -> bool:
        size = self.shape(edge).num_elements()
        return edge in self._bounded if size is None else size <= _MOST_CONSTANT_ELEMENTS

    def _evaluate(self, edge: Edge) -> None:
        """Fills in the values of all outputs of the op of `edge`, its inputs' being settled."""
        node = edge.op
        try:
            results = self._results(node, edge)
            values = [
                None if result is None else _tidy(result, output.dtype)
                for output, result in zip(node.outputs, results, strict=True)
            ]
        except MemoryError:
            raise  # else less would be known of the graph for ever
        except Exception:  # noqa: BLE001 - whatever the kernel objects to, it will say at run time
            values = [None] * len(node.outputs)
        for output, value in zip(node.outputs, values, strict=True):
            self._values.setdefault(output, value)

    def _results(self, node: Node, edge: Edge) -> Sequence[Array | None]:
        unknown: list[Array | None] = [None] * len(node.outputs)
        definition = node.definition
        if definition.value_function is not None:
            return definition.value_function(ShapeContext(node, self))
        factory = definition.kernel_factory
        if isinstance(definition.traits, Bodies):
            return unknown  # what its shape function knows, it has stated
        if not definition.pure or factory is None or not self._worth_knowing(edge):
            return unknown
        inputs = [self.value_read(node, source) for source in node.inputs]
        known = [value for value in inputs if value is not None]
        if len(known) < len(inputs):
            return unknown
        constants = {
            source: value
            for source, value in zip(node.inputs, known, strict=True)
            if not is_symbolic(value)
        }
        symbolic = len(constants) < len(set(node.inputs))
        if symbolic and not definition.traits.symbolic:
            return unknown
        with np.errstate(all="ignore"):
            results = factory(KernelContext(node, self, constants, None, symbolic))(*known)
        return results if isinstance(results, (tuple, list)) else [results]

    def _symbols(self, edge: Edge) -> Array | None:
        value = self._values[edge] = _opaque(edge.dtype, self.shape(edge))
        return value


def _opaque(dtype: DType, shape: TensorShape) -> Array | None:
    """An array of fresh symbols for a small integer tensor of which no more is known."""
    size = shape.num_elements()
    if size is None or size > _MOST_SYMBOLIC_ELEMENTS or not dtype.is_integer:
        return None
    sizes: Any = shape.sizes
    # NumPy bounds the product of the other sizes even where one of them is 0.
    if len(sizes) > _MOST_DIMENSIONS or prod(n for n in sizes if n) > _MOST_CONSTANT_ELEMENTS:
        return None
    symbols = [_number(dtype) for _ in range(size)]
    return _filled(symbols, shape.sizes, np.dtype(object) if symbols else dtype.numpy_dtype)


def _tidy(value: Any, dtype: DType) -> Array:
    """The result of a kernel on symbols: a plain array where no symbol is left in it."""
    array = np.asarray(value)
    if array.dtype != object or dtype.name == "string":
        array = array.view()
        array.flags.writeable = False
        return array
    items = [_followed(item, dtype) for item in array.ravel().tolist()]
    plain = not any(isinstance(item, DimExpr) for item in items)
    return _filled(items, array.shape, dtype.numpy_dtype if plain else np.dtype(object))


def _followed(item: Any, dtype: DType) -> Any:
    """`item` where the run has the same: there integers wrap around, unlike Python's and symbols.

    An expression over 32 or 64 bits counts as safe as long as its coefficients leave room for sizes
    in the thousands; over fewer bits, or where a negative number would wrap, bounds must show it.
    """
    if isinstance(item, np.ndarray):
        item = item.item()  # NumPy nests an array of rank 0 where it is assigned to an element
    lowest, highest = _limits(dtype)
    if not isinstance(item, DimExpr):
        if not lowest <= int(item) <= highest:
            return _number(dtype)
        return int(item) if dtype.is_integer else item
    if dtype.size >= 4:
        fits = all(abs(c) <= highest >> _ROOM_BITS for c in item.terms.values())
        if fits and not dtype.is_unsigned:
            return item
    else:
        fits = less_equal(item, highest) is True
    return item if fits and less_equal(lowest, item) else _number(dtype)


def _number(dtype: DType) -> DimExpr:
    """A number of which no more is known than its dtype."""
    if dtype.size >= 4:
        return dim_symbol(lower=0 if dtype.is_unsigned else None)
    return dim_symbol(None, *_limits(dtype))


@cache
def _limits(dtype: DType) -> tuple[int, int]:
    return (0, 1) if dtype.is_bool else (int(dtype.min), int(dtype.max))


def _filled(items: list[Any], shape: Any, dtype: np.dtype[Any]) -> Array:
    array: Array = np.empty(len(items), dtype=dtype)
    array[:] = items
    array = array.reshape(shape)
    array.flags.writeable = False
    return array
