"""Structure of the elements of a dataset or an iterator, as its properties."""

from __future__ import annotations

from typing import Any

from .element_specs import classes_of, shapes_of, types_of


class ElementStructure:
    """Base of what has elements of one structure."""

    _element: Any

    @property
    def output_types(self) -> Any:
        """The dtypes of an element, in its structure."""
        return types_of(self._element)

    @property
    def output_shapes(self) -> Any:
        """The shapes of an element, in its structure."""
        return shapes_of(self._element)

    @property
    def output_classes(self) -> Any:
        """The classes of an element, in its structure."""
        return classes_of(self._element)
