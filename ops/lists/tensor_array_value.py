"""Arrays of tensors as in TensorFlow 1.x: written and read in place, in the order of flows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...runtime.object_arrays import object_scalar
from ...shape_inference.protocols import Array
from ..common.allocation import new_zeros
from .tensor_list import Sizes, checked_index, fits, merged, shown, unset


class TensorArray:
    """An array of tensors, which ops write to and read from while a graph runs.

    Args:
        size: how many elements there are at first.
        dtype: of the elements.
        element: the shape that each element must fit.
        dynamic: whether a write behind the end makes the array longer.
        clears: whether an element is gone once it was read.
        identical: whether all elements have one shape.

    Attributes:
        shapes: of the elements that were written, here or in the array of which this is a gradient.
    """

    def __init__(
        self,
        size: int,
        dtype: np.dtype[Any],
        element: Sizes,
        *,
        dynamic: bool = False,
        clears: bool = True,
        identical: bool = False,
    ) -> None:
        if size < 0:
            raise ValueError(f"size must be at least 0, got {size}")
        self.items: list[Any] = unset(size)
        self.gone: set[int] = set()
        self.dtype = dtype
        self.element = element
        self.dynamic = dynamic
        self.clears = clears
        self.identical = identical
        self.adds_up = False
        self.shapes: dict[int, tuple[int, ...]] = {}
        self.gradients: dict[bytes, TensorArray] = {}
        self.closed = False

    @property
    def handle(self) -> Array:
        """The array as what a slot of a plan holds: an array of rank 0."""
        array: Array = object_scalar(self)
        return array

    def write(self, index: int, item: Array) -> None:
        """Puts an element in its place; in an array of gradients, adds it to what is there.

        Raises:
            ValueError: the index, dtype or shape is none for this array, or it is written already.
        """
        if self.closed:
            raise ValueError("the TensorArray has been closed")
        if index < 0 or (index >= len(self.items) and not self.dynamic):
            raise ValueError(f"index = {index} is not in [0, {len(self.items)})")
        if item.dtype != self.dtype:
            raise ValueError(f"the TensorArray holds {self.dtype}, got a value of {item.dtype}")
        if not fits(item.shape, self.element):
            raise ValueError(
                f"the elements of the TensorArray have shape {shown(self.element)}, got one of "
                f"shape {list(item.shape)}"
            )
        if self.identical:
            self.element = merged(self.element, item.shape)
        if index >= len(self.items):
            self.items += unset(index + 1 - len(self.items))
        if self.items[index] is not None:
            if not self.adds_up:
                raise ValueError(f"element {index} has been written already")
            item = np.add(self.items[index], item)
        elif index in self.gone:
            raise ValueError(f"element {index} has been read, and cannot be written again")
        self.items[index] = item
        self.shapes[index] = item.shape

    def read_each(self, numbers: Iterable[int]) -> list[Array]:
        """Elements, as `read`; those that were not written are one array for each shape."""
        zeros: dict[Sizes, Array] = {}
        return [self.read(number, zeros) for number in numbers]

    def read(self, index: int, zeros: dict[Sizes, Array] | None = None) -> Array:
        """An element; zeros where none was written and the shape is known.

        Args:
            index: of the element.
            zeros: arrays of zeros by their shapes, for elements that were not written.

        Raises:
            ValueError: the index is none for this array, or nothing is there.
        """
        if self.closed:
            raise ValueError("the TensorArray has been closed")
        item = self.items[checked_index(index, len(self.items))]
        if index in self.gone:
            raise ValueError(
                f"element {index} has been read, and is gone; to read it again, make the "
                "TensorArray with clear_after_read=False"
            )
        if item is None:
            item = self._zeros(index, {} if zeros is None else zeros)
        if self.clears:
            self.gone.add(index)
            self.items[index] = None
        return item

    def _zeros(self, index: int, made: dict[Sizes, Array]) -> Array:
        sizes: Sizes = self.shapes.get(index, self.element)
        if sizes is None or -1 in sizes:
            raise ValueError(
                f"element {index} is read and was not written, and the shape of the elements is "
                f"not fully known: {shown(sizes)}"
            )
        if sizes not in made:
            made[sizes] = new_zeros(sizes, self.dtype)
        return made[sizes]

    def gradient(self, source: bytes) -> TensorArray:
        """The array of gradients for a source: as long, and of zeros where nothing is written."""
        gradient = self.gradients.get(source)
        if gradient is None:
            gradient = TensorArray(len(self.items), self.dtype, self.element, clears=False)
            gradient.adds_up = True
            gradient.shapes = dict(self.shapes)
            self.gradients[source] = gradient
        return gradient


def array_of(handle: Array, dtype: np.dtype[Any] | None = None) -> TensorArray:
    """The TensorArray that a handle stands for.

    Raises:
        ValueError: it stands for none, or for one of another dtype.
    """
    item = handle.item() if handle.ndim == 0 else None
    if not isinstance(item, TensorArray):
        raise ValueError("the handle must be that of a TensorArray")
    if dtype is not None and item.dtype != dtype:
        raise ValueError(f"dtype is {dtype}, but the TensorArray holds {item.dtype}")
    return item
