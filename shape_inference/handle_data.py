"""Static facts about the objects behind handles: variables, lists and arrays of tensors."""

from __future__ import annotations

from typing import NamedTuple

from ..protos.dtypes import DType
from .symbolic.symbolic import Dim, equal
from .tensor_shape import TensorShape

_UNKNOWN = TensorShape(None)


class HandleData(NamedTuple):
    """Static facts about the object behind a handle.

    Args:
        dtype: the dtype of the variable, or of the elements.
        declared: a shape that every element fits, come what may.
        element: a shape that all elements have that were put in; None where none was.
        length: how many elements there are.
        key: of a table, the shape of a key.
        components: of a queue, a content for each component of its elements.
    """

    dtype: DType | None = None
    declared: TensorShape = _UNKNOWN
    element: TensorShape | None = None
    length: Dim | None = None
    key: TensorShape | None = None
    components: tuple[HandleData, ...] = ()

    @property
    def shape(self) -> TensorShape:
        """The shape of an element."""
        if self.element is None:
            return self.declared
        return merged_if_alike(self.element, self.declared)

    def with_element(self, shape: TensorShape, length: Dim | None = None) -> HandleData:
        """The content after an element of a shape was put in."""
        element = shape if self.element is None else common_shape(self.element, shape)
        return self._replace(element=element, length=length)

    def joined(self, other: HandleData) -> HandleData:
        """Facts that both have in common."""
        if self.element is None or other.element is None:
            element = other.element if self.element is None else self.element
        else:
            element = common_shape(self.element, other.element)
        one, two = self.length, other.length
        same = one is not None and two is not None and equal(one, two) is True
        return HandleData(
            self.dtype if self.dtype is other.dtype else None,
            common_shape(self.declared, other.declared),
            element,
            self.length if same else None,
            self.key if self.key == other.key else None,
            self.components if self.components == other.components else (),
        )


def common_shape(x: TensorShape, y: TensorShape) -> TensorShape:
    """Common part of two shapes: sizes that differ become None."""
    if x.sizes is None or y.sizes is None or len(x.sizes) != len(y.sizes):
        return _UNKNOWN
    if x.sizes == y.sizes:
        return x
    return TensorShape.of(
        tuple(
            [
                m if m is not None and n is not None and equal(m, n) is True else None
                for m, n in zip(x.sizes, y.sizes, strict=True)
            ]
        )
    )


def merged_if_alike(x: TensorShape, y: TensorShape) -> TensorShape:
    """Completes `x` with facts of `y`; unchanged if they contradict each other."""
    if x.sizes is None or y.sizes is None:
        return y if x.sizes is None else x
    if len(x.sizes) != len(y.sizes):
        return x
    sizes = [
        n if m is None or (isinstance(n, int) and not isinstance(m, int)) else m
        for m, n in zip(x.sizes, y.sizes, strict=True)
    ]
    return TensorShape.of(tuple(sizes))
