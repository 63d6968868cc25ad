"""Components of the elements of queues and staging areas: dtypes, shapes, names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...protos.dtypes import DType, as_dtype
from ...shape_inference.tensor_shape import TensorShape


class Components:
    """Base class of what has elements of several components.

    Args:
        what: the kind of store, for errors.
        dtypes: the dtype of each component.
        shapes: the shape of each component; None where these may differ.
        names: names for the components: then elements are dicts.

    Raises:
        ValueError: shapes or names are not as many as dtypes.
    """

    def __init__(
        self,
        what: str,
        dtypes: Sequence[Any],
        shapes: Sequence[Any] | None,
        names: Sequence[str] | None,
    ) -> None:
        self._dtypes: list[DType] = [as_dtype(dtype) for dtype in dtypes]
        if shapes is not None and len(shapes) != len(self._dtypes):
            raise ValueError(
                f"{what} shapes must have the same length as dtypes, received len(shapes)="
                f"{len(shapes)}, len(dtypes)={len(self._dtypes)}"
            )
        if names is not None and len(names) != len(self._dtypes):
            raise ValueError(
                "List of names must have the same length as the list of dtypes, received "
                f"len(names)={len(names)},len(dtypes)={len(self._dtypes)}"
            )
        self._shapes = [TensorShape(shape) for shape in shapes or [None] * len(self._dtypes)]
        self._names = None if names is None else list(names)

    @property
    def dtypes(self) -> list[DType]:
        """The dtype of each component of an element."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shape of each component of an element."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components, where they have some."""
        return self._names
