"""Splitting of ops along an axis: the parts of results that follow from parts of inputs.

A tensor that depends on rows (of a batch, say) is computed chunk of rows by chunk of rows, and a
`Part` states how the values of the chunks combine to the whole value. An op's rule says
which parts of its inputs it takes, and what it then gives. It stands next to the op, as `splits` in
its traits, in a notation with a term for each argument and each result:

    n*,*->n*        the first axis of the first argument is the first of the result
    ...__->...__    any axis but the last two
    n*,n*->*:sum    the results of chunks are added up (as without a word: see COMBINATIONS)
    #,n*->n*        `#` is a vector of sizes, of which each chunk takes its own
    =               each result is the argument of its number

A letter is an axis, `...` any number of axes, counted from the last; along these the op can be
split. `_` is one axis and `*` any number of axes along which it cannot. Rules beyond that are
functions, `@OP.split`. Elementwise ops, reductions and products need neither.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .context import OpContext, is_symbolic
from .protocols import Array, Edge, Node
from .symbolic.symbolic import Dim, DimExpr, Symbol, equal, exact_div, symbols_of
from .tensor_shape import TensorShape
from .traits import Elementwise, Product, Reduction

COMBINATIONS = ("sum", "mean", "max", "min", "prod", "any", "all", "norm", "first")
"""Combinations of the values of parts into the whole value.

"mean" weighs them by their rows, "norm" is the root of the sum of squares, and "first" takes any
of them, since all have the same."""


class Part(NamedTuple):
    """Combination of the values of a tensor in chunks into the whole value.

    Args:
        kind: "whole", where every chunk has all of it; "split", where they lie one behind the other
            along `axis`; "partial", where they are combined by `how`; "own", where the elements
            are sizes, of which each chunk has its own; or "listed", where each chunk has a list as
            long, whose elements lie one behind the other along `axis`.
        axis: the axis; -1 of a list that has no elements yet.
        how: one of COMBINATIONS.
    """

    kind: str
    axis: int = -1
    how: str = ""

    @property
    def in_chunks(self) -> bool:
        """True if it is computed in chunks."""
        return self.kind in ("split", "partial", "listed")

    def __str__(self) -> str:
        if self.kind == "split":
            return f"split along axis {self.axis}"
        if self.kind == "listed":
            return f"listed, split along axis {self.axis}" if self.axis >= 0 else "listed"
        if self.how == "first":
            return "same in all chunks"
        return f"partial {self.how}" if self.kind == "partial" else self.kind


WHOLE = Part("whole")
OWN = Part("own")


def along(axis: int) -> Part:
    """The part of a tensor whose chunks lie one behind the other along an axis."""
    return Part("split", axis)


def partial(how: str) -> Part:
    """The part of a tensor whose chunks are combined."""
    return Part("partial", -1, how)


def listed(axis: int = -1) -> Part:
    """The part of a list whose elements' chunks lie one behind the other along an axis."""
    return Part("listed", axis)


class Partition(NamedTuple):
    """Split of an op: the part of each input that it takes, and the part of each result."""

    takes: Sequence[Part]
    gives: Sequence[Part]


class NotSplittable(Exception):  # noqa: N818 - it is an answer, not an error
    """An op needs all rows at once; the message is a clause with the reason."""


class SplitContext(OpContext):
    """Context of a rule: static shapes, known values, and the available part of each input.

    Args:
        node: the op.
        inference: what is known of its graph, where sizes depend on the rows' symbol.
        rows: the symbol of the number of rows.
        parts: of each input, how it is split; what is combined counts as whole.
    """

    __slots__ = ("_known", "parts", "rows")

    def __init__(self, node: Node, inference: Any, rows: Symbol, parts: Sequence[Part]) -> None:
        super().__init__(node, inference)
        self._known = inference
        self.rows = rows
        self.parts = parts

    def value(self, name: str) -> Array | None:
        """Known elements of argument `name`: numbers and dimension expressions."""
        return self._known.value_read(self.node, self.input(name))

    def value_of(self, edge: Edge) -> Array | None:
        """Known elements of `edge`, an input."""
        return self._known.value_read(self.node, edge)

    def const(self, name: str) -> Array | None:
        """The value of argument `name` where every element of it is a known number."""
        value = self.value(name)
        return None if value is None or is_symbolic(value) else value

    def needed(self, name: str) -> Array:
        """Like `const`, for values that decide how the op is split.

        Raises:
            Mixes: it is not known.
        """
        value = self.const(name)
        if value is None:
            raise NotSplittable(f"{name} is not known before the run")
        return value

    def part(self, name: str) -> Part:
        """The part of argument `name`."""
        return self.parts[self.node.inputs.index(self.input(name))]

    def axis(self, name: str) -> int | None:
        """The axis along which argument `name` is split, or None."""
        part = self.part(name)
        return part.axis if part.kind == "split" else None

    def known_sizes(self, edge: Edge) -> tuple[Dim, ...]:
        """The sizes of a tensor.

        Raises:
            Mixes: not even its rank is known.
        """
        sizes: Any = self._known.shape(edge).sizes
        if sizes is None:
            raise NotSplittable("a rank is not known")
        return sizes

    def depends(self, size: Any) -> bool:
        """Returns whether a size depends on the number of rows."""
        return isinstance(size, DimExpr) and self.rows in symbols_of(size)

    def out_shape(self, output: int = 0) -> TensorShape:
        """The static shape of a result."""
        return self._known.shape(self.node.outputs[output])


Rule = Callable[[SplitContext], Partition]


def per_row(size: Any, rows: Symbol) -> Dim | None:
    """Elements of an axis per row, if its size is a multiple of the rows; else None."""
    if not isinstance(size, DimExpr) or rows not in symbols_of(size):
        return None
    each = exact_div(size, DimExpr({(rows,): 1}))
    if each is None or (isinstance(each, DimExpr) and rows in symbols_of(each)):
        return None
    return each


def fall_apart(c: SplitContext, rule: Rule | None) -> Partition:
    """Split of an op whose inputs are split as in `c`.

    Args:
        c: the op.
        rule: the op's own, if it has one.

    Raises:
        Mixes: it does not.
    """
    traits = c.node.definition.traits
    if rule is not None:
        return rule(c)
    if any(part.kind == "listed" for part in c.parts):
        if traits.splits != "...->..." or any(part != c.parts[0] for part in c.parts):
            raise NotSplittable("it has no rule for lists of what is split")
        return Partition(c.parts, [c.parts[0]] * len(c.node.outputs))
    if isinstance(traits, Reduction):
        return _reduced(c, traits)
    if isinstance(traits, Product):
        return by_letters(c, _transposed(c, traits.subscripts))
    if traits.splits:
        return by_letters(c, traits.splits)
    if isinstance(traits, Elementwise):
        positions = c.node.definition.input_positions(c.node.attrs)
        return by_letters(c, ",".join("..." for _ in positions) + "->...")
    raise NotSplittable("it has no rule")


def _transposed(c: SplitContext, subscripts: str) -> str:
    """The subscripts of a product of matrices as its attrs have them."""
    inputs, _, result = subscripts.partition("->")
    terms = []
    names = c.node.definition.input_positions(c.node.attrs)
    for term, name in zip(inputs.split(","), names, strict=True):
        attrs = c.node.attrs
        swapped = attrs.get(f"transpose_{name}") or attrs.get(f"adj_{name}")
        terms.append(f"{term[:-2]}{term[-1]}{term[-2]}" if swapped else term)
    return f"{','.join(terms)}->{result}"


def _reduced(c: SplitContext, traits: Reduction) -> Partition:
    first = c.node.inputs[0]
    part = c.parts[0]
    takes = [part, *[WHOLE] * (len(c.node.inputs) - 1)]
    if part.kind != "split":
        return Partition([WHOLE] * len(takes), [WHOLE] * len(c.node.outputs))
    attrs = c.node.attrs
    named = attrs[traits.axis] if traits.axis in attrs else c.needed(traits.axis).reshape(-1)
    rank = len(c.known_sizes(first))
    axes = {int(axis) % rank for axis in (named if hasattr(named, "__len__") else [named])}
    if part.axis not in axes:
        kept = attrs.get("keep_dims", False)
        before = 0 if kept else sum(axis < part.axis for axis in axes)
        return Partition(takes, [along(part.axis - before)])
    if not traits.combined:
        raise NotSplittable(f"it goes along axis {part.axis}, which is split")
    if traits.combined == "mean" and not first.dtype.is_floating and not first.dtype.is_complex:
        raise NotSplittable("means of integers are rounded, so that those of parts do not make it")
    return Partition(takes, [partial(traits.combined)])


# The notation ------------------------------------------------------------------------------------

_Label = tuple[str, int]
"""A letter with 0, or "..." with the distance from its last axis."""


def by_letters(c: SplitContext, notation: str) -> Partition:
    """Split of an op by a notation: see the head of this file.

    Raises:
        NotSplittable: an input is split along an axis along which the op cannot be split.
    """
    if notation == "=":
        return Partition(c.parts, c.parts[: len(c.node.outputs)])
    inputs, _, results = notation.replace(" ", "").partition("->")
    terms = _spread(c, inputs.split(","))
    label, size = _common(c, terms)
    takes = []
    for edge, term, part in zip(c.node.inputs, terms, c.parts, strict=True):
        if term == "#":
            takes.append(OWN if part.kind == "own" else WHOLE)
        elif label is None:
            takes.append(WHOLE)
        else:
            takes.append(_taken(c, edge, term, label, size, part))
    outputs = results.split(",")
    if len(outputs) == 1:
        outputs *= len(c.node.outputs)
    return Partition(takes, [_given(c, i, term, label) for i, term in enumerate(outputs)])


def _spread(c: SplitContext, terms: list[str]) -> list[str]:
    """The term of each input; the tensors of a list have that of their argument."""
    if len(terms) == len(c.node.inputs):
        return terms
    positions = c.node.definition.input_positions(c.node.attrs)
    spread: list[str] = []
    for term, where in zip(terms, positions.values(), strict=True):
        spread += [term] * (len(where) if isinstance(where, range) else 1)
    return spread


def _common(c: SplitContext, terms: Sequence[str]) -> tuple[_Label | None, Dim]:
    """The common split axis of all split inputs, and its size."""
    found: dict[_Label, Dim] = {}
    for edge, term, part in zip(c.node.inputs, terms, c.parts, strict=True):
        if part.kind != "split":
            continue
        sizes = c.known_sizes(edge)
        label = _labels(term, len(sizes))[part.axis]
        if label is None or term.count(label[0]) > 1:
            raise NotSplittable(f"it cannot be split along axis {part.axis} of {edge.op.name}")
        found.setdefault(label, sizes[part.axis])
    if len(found) > 1:
        raise NotSplittable("its inputs are split along different axes")
    return next(iter(found.items())) if found else (None, 0)


def _taken(c: SplitContext, edge: Edge, term: str, label: _Label, size: Dim, part: Part) -> Part:
    if part.kind == "split":
        own = c.known_sizes(edge)[part.axis]
        if equal(own, size) is not True:
            raise NotSplittable(f"sizes of what is split are {size} and {own}")
        return part
    sizes: Any = c.shape_of(edge).sizes
    if sizes is None:
        if label in _letters(term):
            raise NotSplittable(f"the rank of {edge.op.name} is not known")
        return WHOLE
    labels = _labels(term, len(sizes))
    if label not in labels:
        return WHOLE
    axis = labels.index(label)
    if equal(sizes[axis], 1) is True:
        return WHOLE
    if equal(sizes[axis], size) is not True:
        raise NotSplittable(f"axis {axis} of {edge.op.name} has size {sizes[axis]}, not {size}")
    return along(axis)


def _given(c: SplitContext, output: int, term: str, label: _Label | None) -> Part:
    term, _, how = term.partition(":")
    if label is None:
        return WHOLE
    sizes = c.out_shape(output).sizes
    if sizes is None and label in _letters(term):
        raise NotSplittable("the rank of its result is not known")
    if sizes is not None:
        labels = _labels(term, len(sizes))
        if labels.count(label) > 1:
            raise NotSplittable("its rows lie on a diagonal of the result")
        if label in labels:
            return along(labels.index(label))
    return partial(how or "sum")


def _letters(term: str) -> set[_Label]:
    """Axes that a term may name at any rank; more than listed after `...`."""
    found = {(letter, 0) for letter in term if letter.isalpha()}
    return found | {("...", k) for k in range(64 if "..." in term else 0)}


def _labels(term: str, rank: int) -> list[_Label | None]:
    """Meaning of each axis of a tensor by its term.

    Raises:
        Mixes: the term is not that of such a tensor.
    """
    wild = "..." if "..." in term else "*" if "*" in term else ""
    before, _, after = term.partition(wild) if wild else (term, "", "")
    middle = rank - len(before) - len(after)
    if middle < 0 or (middle and not wild):
        raise NotSplittable(f"its rule is for tensors of other ranks than {rank}")
    between: list[_Label | None] = [
        ("...", k) if wild == "..." else None for k in reversed(range(middle))
    ]
    ends = [[(item, 0) if item.isalpha() else None for item in part] for part in (before, after)]
    return [*ends[0], *between, *ends[1]]
