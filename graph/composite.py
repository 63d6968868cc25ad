"""What stands for several tensors in a session: the base of objects such as ragged tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .node import Tensor


class Composite:
    """An object that sessions fetch and feed as the tensors that it consists of."""

    __slots__ = ()

    def parts(self) -> list[Tensor]:
        """The tensors."""
        raise NotImplementedError

    def value_of(self, parts: Sequence[Any]) -> Any:
        """The value that a session returns, of the values of the tensors."""
        raise NotImplementedError

    def values_fed(self, value: Any) -> Sequence[Any]:
        """The values of the tensors, of a value that is fed."""
        raise NotImplementedError
