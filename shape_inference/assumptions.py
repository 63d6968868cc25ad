"""Inference for a checker: what ops require is assumed, and losses of precision are traced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .context import Requirement, is_symbolic
from .inference import Inference
from .symbolic import Dim, DimExpr, Symbol, as_symbol, substitute, symbols_of
from .tensor_shape import TensorShape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .protocols import Array, Edge, Node


class CheckingInference(Inference):
    """Inference over ops that are all meant to run.

    Since every op runs, what one of them requires holds for all: where two sizes must be equal,
    one symbol takes the place of the other. Each symbol that inference itself had to introduce is
    traced to the tensor where it first stood.
    """

    def __init__(self) -> None:
        super().__init__()
        self.origins: dict[Symbol, Edge] = {}
        self._equal: dict[Symbol, Dim] = {}

    def require(self, requirement: Requirement) -> None:
        """Records a requirement and, if it makes two sizes equal, assumes that they are."""
        super().require(requirement)
        if requirement.kind == "equal":
            self._assume_equal(self._resolved(requirement.left), self._resolved(requirement.right))

    def shape(self, edge: Edge) -> TensorShape:
        """What is known of the shape of `edge`, under all that has been assumed."""
        shape = super().shape(edge)
        sizes = shape.sizes
        if not self._equal or sizes is None or all(isinstance(size, int) for size in sizes):
            return shape
        return TensorShape.of(
            tuple([None if size is None else self._resolved(size) for size in sizes])
        )

    def value(self, edge: Edge) -> Array | None:
        """What is known of the elements of `edge`, under all that has been assumed."""
        value = super().value(edge)
        if value is None or not self._equal or not is_symbolic(value):
            return value
        resolved = value.copy()
        flat = resolved.reshape(-1)
        for i, item in enumerate(flat.tolist()):
            flat[i] = self._resolved(item)
        return resolved

    def infer(self, node: Node) -> None:
        """Works out the shapes of `node`, and notes which symbols are new with it."""
        known = {symbol for edge in node.inputs for symbol in _symbols([self.shape(edge)])}
        super().infer(node)
        for edge in node.outputs:
            for symbol in _symbols([super().shape(edge)]):
                if symbol.name is None and symbol not in known:
                    self.origins.setdefault(symbol, edge)

    def _resolved(self, size: Dim) -> Dim:
        return substitute(size, self._equal) if isinstance(size, DimExpr) else size

    def _assume_equal(self, left: Dim, right: Dim) -> None:
        symbol, size = as_symbol(left), right
        other = as_symbol(right)
        if symbol is None or (other is not None and other.name is None):
            symbol, size = other, left
        if symbol is None or symbol in symbols_of(size):
            return
        self._equal = {key: substitute(value, {symbol: size}) for key, value in self._equal.items()}
        self._equal[symbol] = size


def _symbols(shapes: Iterable[TensorShape]) -> set[Symbol]:
    return {
        symbol
        for shape in shapes
        for size in shape.sizes or ()
        if isinstance(size, DimExpr)
        for symbol in symbols_of(size)
    }
