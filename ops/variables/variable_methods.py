"""Mixins of variables: operators, and updates of rows and elements."""

from __future__ import annotations

from typing import Any, NoReturn

from ...graph.indexed_slices import IndexedSlices
from ...graph.node import Tensor
from .scatter_updates import SCATTER, SCATTER_ND


class VariableOperators:
    """Operators of variables: each reads the value."""

    __slots__ = ()

    __array_priority__ = 100

    def value(self) -> Tensor:
        """The tensor that holds the value."""
        raise NotImplementedError

    def __float__(self) -> float:
        return float(self.value())

    def __int__(self) -> int:
        return int(self.value())

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise TypeError(
            f"the variable {self!r} cannot be changed in place: write v[index].assign(value), or "
            "td.assign(v, value), and run what that returns"
        )

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


class VariableRows:
    """Methods that update rows, given as IndexedSlices, or elements.

    Each method makes an op, and returns the tensor that is the variable after it.
    """

    __slots__ = ()

    _reference: Tensor

    def _scatter(
        self, kind: str, indices: Any, updates: Any, use_locking: bool, name: str | None
    ) -> Any:
        return SCATTER[kind](self._reference, indices, updates, use_locking=use_locking, name=name)

    def _scatter_nd(
        self, kind: str, indices: Any, updates: Any, use_locking: bool, name: str | None
    ) -> Any:
        return SCATTER_ND[kind](
            self._reference, indices, updates, use_locking=use_locking, name=name
        )

    def _scatter_slices(
        self, kind: str, delta: IndexedSlices, use_locking: bool, name: str | None
    ) -> Any:
        if not hasattr(delta, "indices") or not hasattr(delta, "values"):
            raise TypeError(f"expected IndexedSlices, got {delta!r}")
        return self._scatter(kind, delta.indices, delta.values, use_locking, name)

    def scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Sets the rows that an IndexedSlices names: see `td.scatter_update`."""
        return self._scatter_slices("Update", sparse_delta, use_locking, name)

    def scatter_add(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Adds to the rows that an IndexedSlices names: see `td.scatter_add`."""
        return self._scatter_slices("Add", sparse_delta, use_locking, name)

    def scatter_sub(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Subtracts from the rows that an IndexedSlices names: see `td.scatter_sub`."""
        return self._scatter_slices("Sub", sparse_delta, use_locking, name)

    def scatter_mul(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Multiplies the rows that an IndexedSlices names: see `td.scatter_mul`."""
        return self._scatter_slices("Mul", sparse_delta, use_locking, name)

    def scatter_div(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Divides the rows that an IndexedSlices names: see `td.scatter_div`."""
        return self._scatter_slices("Div", sparse_delta, use_locking, name)

    def scatter_min(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Keeps what is less in the rows that an IndexedSlices names: see `td.scatter_min`."""
        return self._scatter_slices("Min", sparse_delta, use_locking, name)

    def scatter_max(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Keeps what is greater in the rows that an IndexedSlices names: see `td.scatter_max`."""
        return self._scatter_slices("Max", sparse_delta, use_locking, name)

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Sets elements or slices: see `td.scatter_nd_update`."""
        return self._scatter_nd("Update", indices, updates, True, name)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Adds to elements or slices: see `td.scatter_nd_add`."""
        return self._scatter_nd("Add", indices, updates, True, name)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Subtracts from elements or slices: see `td.scatter_nd_sub`."""
        return self._scatter_nd("Sub", indices, updates, True, name)
