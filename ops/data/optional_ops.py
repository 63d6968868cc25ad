"""The ops on optionals, and their values at run time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.op_def import OpDef
from ...protos.dtypes import DType
from ...runtime.object_arrays import handle_to
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ..queues.handles import kept_behind, scalar_shape
from .dataset_ops import TYPED

if TYPE_CHECKING:
    from .dataset_elements import Element

OPTIONAL_FROM_VALUE = OpDef(
    "OptionalFromValue",
    "components: Toutput_types -> optional: variant",
    "Toutput_types: list(type) >= 1",
)
OPTIONAL_NONE = OpDef("OptionalNone", "-> optional: variant")
OPTIONAL_HAS_VALUE = OpDef("OptionalHasValue", "optional: variant -> has_value: bool")
OPTIONAL_GET_VALUE: OpDef[Any] = OpDef(
    "OptionalGetValue", "optional: variant -> components: output_types", TYPED
)


class Optional:
    """An element, or none."""

    kind = "Optional"

    def __init__(self, element: Element | None, dtypes: Sequence[DType]) -> None:
        self.element = element
        self.dtypes = tuple(dtypes)


def optional_of(handle: Array) -> Optional:
    """The optional that a handle stands for.

    Raises:
        ValueError: it stands for none.
    """
    return kept_behind(handle, Optional, "an optional")


OPTIONAL_FROM_VALUE.shape(scalar_shape)
OPTIONAL_NONE.shape(scalar_shape)
OPTIONAL_HAS_VALUE.shape(scalar_shape)


@OPTIONAL_FROM_VALUE.kernel
def _from_value_kernel(c: KernelContext) -> Kernel:
    dtypes = c.attr("Toutput_types")

    def from_value(*components: Array) -> Array:
        return handle_to(Optional(components, dtypes))

    return from_value


@OPTIONAL_NONE.kernel
def _none_kernel(c: KernelContext) -> Kernel:
    handle = handle_to(Optional(None, ()))

    def none() -> Array:
        return handle

    return none


@OPTIONAL_HAS_VALUE.kernel
def _has_value_kernel(c: KernelContext) -> Kernel:

    def has_value(optional: Array) -> Array:
        return np.array(optional_of(optional).element is not None)

    return has_value


@OPTIONAL_GET_VALUE.shape
def _get_value_shape(c: ShapeContext) -> list[TensorShape]:
    return list(c.attr("output_shapes"))


@OPTIONAL_GET_VALUE.kernel
def _get_value_kernel(c: KernelContext) -> Kernel:
    dtypes, shapes = tuple(c.attr("output_types")), list(c.attr("output_shapes"))

    def get_value(optional: Array) -> Any:
        value = optional_of(optional)
        if value.element is None:
            raise ValueError("The given optional does not have a value.")
        if value.dtypes != dtypes:
            raise ValueError(
                f"output_types must be {[dtype.name for dtype in value.dtypes]}, got "
                f"{[dtype.name for dtype in dtypes]}"
            )
        for i, (array, shape) in enumerate(zip(value.element, shapes, strict=True)):
            if not shape.is_compatible_with(array.shape):
                raise ValueError(f"component {i} must have shape {shape}, got {list(array.shape)}")
        return value.element[0] if len(dtypes) == 1 else value.element

    return get_value
