"""Cost of ops in arithmetic operations, as far as static shapes determine it."""

from __future__ import annotations

from collections.abc import Callable

from .context import Knowledge, OpContext, settled
from .protocols import Edge, Node
from .symbolic.formulas import Formula
from .symbolic.symbolic import Dim, dim_symbol
from .tensor_shape import TensorShape
from .traits import Elementwise, Move, Product, Reduction

_TRANSPOSES_FIRST = ("transpose_a", "adj_x")


class CostContext(OpContext):
    """Context of a cost rule: attrs, and the static shapes of inputs and results.

    A size of which nothing is known is a symbol, so that it stands in the formula as `?`.
    """

    __slots__ = ()

    def elements(self, name: str) -> Formula:
        """Number of elements of argument `name`."""
        return elements_of(self.shape(name))

    def result_shape(self, output: int = 0) -> TensorShape:
        """The static shape of an output."""
        return self._inference.shape(self.node.outputs[output])

    def result(self, output: int = 0) -> tuple[Dim, ...] | None:
        """The sizes of an output; None if not even their number is known."""
        return settled(self.result_shape(output))

    def result_elements(self, output: int = 0) -> Formula:
        """Number of elements of an output."""
        return elements_of(self.result_shape(output))

    def first_elements(self) -> Formula:
        """Number of elements of the first input."""
        return elements_of(self._inference.shape(self.node.inputs[0]))

    def sizes_or_unknown(self, name: str, rank: int) -> tuple[Dim, ...]:
        """The sizes of argument `name`, unknown ones where not even their number is known."""
        return self.sizes(name, rank=rank) or tuple([dim_symbol() for _ in range(rank)])


FlopsRule = Callable[[CostContext], "Formula | Dim"]
"""From what is known of an op to the operations on numbers that a run of it takes."""


def elements_of(shape: TensorShape) -> Formula:
    """Number of elements of a shape."""
    sizes = settled(shape)
    return Formula.of(dim_symbol()) if sizes is None else Formula.product(sizes)


def bytes_of(edge: Edge, shape: TensorShape) -> Formula:
    """Size of a tensor in bytes: references for strings, nothing for handles."""
    if edge.dtype.base_dtype.name in ("resource", "variant"):
        return Formula.of(0)
    return elements_of(shape) * edge.dtype.numpy_dtype.itemsize


def flops_of(node: Node, inference: Knowledge) -> Formula | None:
    """Number of arithmetic operations of a run of an op; None if it has no rule.

    A multiplication is one, an addition is one, and so is what is asked of one number: a square
    root, an exponential, a comparison.
    """
    definition = node.definition
    traits = definition.traits
    c = CostContext(node, inference)
    if definition.flops_function is not None:
        return Formula.of(definition.flops_function(c))
    if isinstance(traits, Elementwise):
        numbers = node.inputs and node.inputs[0].dtype.name != "string"
        return c.result_elements() * traits.flops if numbers else Formula.of(0)
    if isinstance(traits, Reduction):
        return c.first_elements() - c.result_elements()
    if isinstance(traits, Product):
        return _product_flops(c)
    return Formula.of(0) if isinstance(traits, Move) or not definition.pure else None


def _product_flops(c: CostContext) -> Formula:
    """Each element of the result is a sum of as many products as rows have elements."""
    transposed = any(c.node.attrs.get(name) for name in _TRANSPOSES_FIRST)
    sizes = settled(c.shape_of(c.node.inputs[0]))
    inner: Dim = dim_symbol() if sizes is None else sizes[-2 if transposed else -1]
    return 2 * c.result_elements() * inner
