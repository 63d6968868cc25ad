"""The operators of variables: those of the tensors that hold their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...graph.node import Tensor


class VariableOperators:
    """What lets a variable stand in an expression: every operator reads its value."""

    __slots__ = ()

    __array_priority__ = 100

    def value(self) -> Tensor:
        """The tensor that holds the value."""
        raise NotImplementedError

    def __add__(self, other: Any) -> Tensor:
        return self.value().__add__(other)

    def __radd__(self, other: Any) -> Tensor:
        return self.value().__radd__(other)

    def __sub__(self, other: Any) -> Tensor:
        return self.value().__sub__(other)

    def __rsub__(self, other: Any) -> Tensor:
        return self.value().__rsub__(other)

    def __mul__(self, other: Any) -> Tensor:
        return self.value().__mul__(other)

    def __rmul__(self, other: Any) -> Tensor:
        return self.value().__rmul__(other)

    def __truediv__(self, other: Any) -> Tensor:
        return self.value().__truediv__(other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return self.value().__rtruediv__(other)

    def __floordiv__(self, other: Any) -> Tensor:
        return self.value().__floordiv__(other)

    def __rfloordiv__(self, other: Any) -> Tensor:
        return self.value().__rfloordiv__(other)

    def __mod__(self, other: Any) -> Tensor:
        return self.value().__mod__(other)

    def __rmod__(self, other: Any) -> Tensor:
        return self.value().__rmod__(other)

    def __pow__(self, other: Any) -> Tensor:
        return self.value().__pow__(other)

    def __rpow__(self, other: Any) -> Tensor:
        return self.value().__rpow__(other)

    def __matmul__(self, other: Any) -> Tensor:
        return self.value().__matmul__(other)

    def __rmatmul__(self, other: Any) -> Tensor:
        return self.value().__rmatmul__(other)

    def __and__(self, other: Any) -> Tensor:
        return self.value().__and__(other)

    def __rand__(self, other: Any) -> Tensor:
        return self.value().__rand__(other)

    def __or__(self, other: Any) -> Tensor:
        return self.value().__or__(other)

    def __ror__(self, other: Any) -> Tensor:
        return self.value().__ror__(other)

    def __xor__(self, other: Any) -> Tensor:
        return self.value().__xor__(other)

    def __rxor__(self, other: Any) -> Tensor:
        return self.value().__rxor__(other)

    def __lt__(self, other: Any) -> Tensor:
        return self.value().__lt__(other)

    def __le__(self, other: Any) -> Tensor:
        return self.value().__le__(other)

    def __gt__(self, other: Any) -> Tensor:
        return self.value().__gt__(other)

    def __ge__(self, other: Any) -> Tensor:
        return self.value().__ge__(other)

    def __neg__(self) -> Tensor:
        return -self.value()

    def __abs__(self) -> Tensor:
        return abs(self.value())

    def __invert__(self) -> Tensor:
        return ~self.value()

    def __getitem__(self, key: Any) -> Tensor:
        return self.value().__getitem__(key)
