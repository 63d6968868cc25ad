"""`td.data.experimental.Optional` and `get_next_as_optional`."""

from __future__ import annotations

from typing import Any

from ...graph.node import Tensor
from .element_specs import element_of, from_wire, normalized, typed, wire_tensors
from .iterator_ops import ITERATOR_GET_NEXT_AS_OPTIONAL
from .iterators import Iterator
from .optional_ops import OPTIONAL_FROM_VALUE, OPTIONAL_GET_VALUE, OPTIONAL_HAS_VALUE, OPTIONAL_NONE

public = {"td.data.experimental, td.contrib.data": "Optional get_next_as_optional"}


class Optional:
    """An element of a dataset, or none, as determined by the run.

    Args:
        variant_tensor: the tensor that stands for it.
        element: what the element is.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     some = td.data.experimental.Optional.from_value(td.constant(7))
        ...     session.run([some.has_value(), some.get_value()])
        [np.True_, np.int32(7)]
    """

    def __init__(self, variant_tensor: Tensor, element: Any) -> None:
        self._variant = variant_tensor
        self._element = element

    @staticmethod
    def from_value(value: Any) -> Optional:
        """One that has an element.

        Args:
            value: the element: tensors, in tuples and dicts.
        """
        tensors = normalized(value)
        element = element_of(tensors)
        return Optional(OPTIONAL_FROM_VALUE(wire_tensors(element, tensors)), element)

    @staticmethod
    def none_from_structure(value_structure: Any) -> Optional:
        """One that has none.

        Args:
            value_structure: an Optional, or a Dataset, whose element it could have.
        """
        return Optional(OPTIONAL_NONE(), value_structure._element)

    def has_value(self, name: str | None = None) -> Tensor:
        """True if there is an element: a bool scalar.

        Args:
            name: a name for the op.
        """
        return OPTIONAL_HAS_VALUE(self._variant, name=name)

    def get_value(self, name: str | None = None) -> Any:
        """The element.

        Args:
            name: a name for the op.

        Raises:
            InvalidArgumentError: in a run, there is none.
        """
        tensors = OPTIONAL_GET_VALUE(self._variant, name=name, **typed(self._element))
        return from_wire(self._element, tensors)


def get_next_as_optional(iterator: Iterator) -> Optional:
    """The next element of an iterator, or none at the end, instead of an error.

    Args:
        iterator: the Iterator.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     iterator = td.data.Dataset.range(1).make_one_shot_iterator()
        ...     more = td.data.experimental.get_next_as_optional(iterator).has_value()
        ...     session.run(more), session.run(more)
        (np.True_, np.False_)
    """
    element = iterator._element
    handle = ITERATOR_GET_NEXT_AS_OPTIONAL(iterator._iterator_resource, **typed(element))
    return Optional(handle, element)
