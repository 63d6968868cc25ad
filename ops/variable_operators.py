"""The operators of variables: those of the tensors that hold their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..graph.node import Tensor


class VariableOperators:
    """What lets a variable stand in an expression: every operator reads its value."""

    __slots__ = ()

    __array_priority__ = 100

    def value(self) -> Tensor:
        """The tensor that holds the value."""
        raise NotImplementedError

    def __add__(self, other: Any) -> Tensor:
        return self.value() + other

    def __radd__(self, other: Any) -> Tensor:
        return other + self.value()  # type: ignore[no-any-return]

    def __sub__(self, other: Any) -> Tensor:
        return self.value() - other

    def __rsub__(self, other: Any) -> Tensor:
        return other - self.value()  # type: ignore[no-any-return]

    def __mul__(self, other: Any) -> Tensor:
        return self.value() * other

    def __rmul__(self, other: Any) -> Tensor:
        return other * self.value()  # type: ignore[no-any-return]

    def __truediv__(self, other: Any) -> Tensor:
        return self.value() / other

    def __rtruediv__(self, other: Any) -> Tensor:
        return other / self.value()  # type: ignore[no-any-return]

    def __floordiv__(self, other: Any) -> Tensor:
        return self.value() // other

    def __rfloordiv__(self, other: Any) -> Tensor:
        return other // self.value()  # type: ignore[no-any-return]

    def __mod__(self, other: Any) -> Tensor:
        return self.value() % other

    def __rmod__(self, other: Any) -> Tensor:
        return other % self.value()  # type: ignore[no-any-return]

    def __pow__(self, other: Any) -> Tensor:
        return self.value() ** other

    def __rpow__(self, other: Any) -> Tensor:
        return other ** self.value()  # type: ignore[no-any-return]

    def __matmul__(self, other: Any) -> Tensor:
        return self.value() @ other

    def __rmatmul__(self, other: Any) -> Tensor:
        return other @ self.value()  # type: ignore[no-any-return]

    def __and__(self, other: Any) -> Tensor:
        return self.value() & other

    def __rand__(self, other: Any) -> Tensor:
        return other & self.value()  # type: ignore[no-any-return]

    def __or__(self, other: Any) -> Tensor:
        return self.value() | other

    def __ror__(self, other: Any) -> Tensor:
        return other | self.value()  # type: ignore[no-any-return]

    def __xor__(self, other: Any) -> Tensor:
        return self.value() ^ other

    def __rxor__(self, other: Any) -> Tensor:
        return other ^ self.value()  # type: ignore[no-any-return]

    def __lt__(self, other: Any) -> Tensor:
        return self.value() < other

    def __le__(self, other: Any) -> Tensor:
        return self.value() <= other

    def __gt__(self, other: Any) -> Tensor:
        return self.value() > other

    def __ge__(self, other: Any) -> Tensor:
        return self.value() >= other

    def __neg__(self) -> Tensor:
        return -self.value()

    def __abs__(self) -> Tensor:
        return abs(self.value())

    def __invert__(self) -> Tensor:
        return ~self.value()

    def __getitem__(self, key: Any) -> Tensor:
        return self.value()[key]
