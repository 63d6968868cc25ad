"""Helpers of dataset ops: attrs, shape function, numeric arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.op_def import OpDef
from ...protos.dtypes import DType
from ...shape_inference.context import OpContext, ShapeContext
from ...shape_inference.handle_data import HandleData
from ...shape_inference.protocols import Array
from ...shape_inference.rules import SCALAR
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import OPAQUE, Traits

TYPED = "output_types: list(type) >= 1, output_shapes: list(shape) >= 1"
NOTED = f"{TYPED}, metadata: string = ''"
"""Attrs that describe the elements of a dataset; newer ops also have `metadata`."""


def dataset_op(name: str, inputs: str, attrs: str = NOTED, *, traits: Traits = OPAQUE) -> OpDef:
    """Defines an op whose result is a dataset.

    Args:
        name: the op type.
        inputs: what it takes.
        attrs: its attrs.
        traits: what else it is.
    """
    op = OpDef(name, f"{inputs} -> handle: variant", attrs, traits=traits)
    op.shape(dataset_shape)
    return op


def dataset_shape(c: ShapeContext) -> TensorShape:
    """Shape function of an op whose result is a dataset, including handle data of its elements."""
    attrs = c.node.attrs
    dtypes = attrs.get("output_types") or attrs.get("Toutput_types")
    shapes = attrs.get("output_shapes")
    if dtypes and shapes:
        hold_elements(c, dtypes, shapes)
    return SCALAR


def hold_elements(c: ShapeContext, dtypes: Sequence[DType], shapes: Sequence[TensorShape]) -> None:
    """States of what elements the dataset consists that an op puts out.

    Raises:
        ValueError: there are not as many shapes as dtypes.
    """
    if len(dtypes) != len(shapes):
        raise ValueError(
            f"output_shapes must be as many as the {len(dtypes)} output_types, got {len(shapes)}"
        )
    pairs = zip(dtypes, shapes, strict=True)
    c.hold(HandleData(components=tuple([HandleData(dtype, shape) for dtype, shape in pairs])))


def components_of(c: OpContext, name: str) -> tuple[HandleData, ...] | None:
    """Components of the elements of the dataset passed as argument `name`, if known."""
    content = c.content(name)
    return content.components if content is not None and content.components else None


def number_of(value: Array, name: str) -> int:
    """An argument that is one whole number.

    Raises:
        ValueError: it is none.
    """
    if value.ndim:
        raise ValueError(f"{name} must be a scalar, got shape {list(value.shape)}")
    return int(value)


def at_least(least: int, value: Array, name: str) -> int:
    """An argument that is one number, of which small ones are not legal.

    Raises:
        ValueError: it is none, or too small.
    """
    number = number_of(value, name)
    if number < least:
        raise ValueError(f"{name} must be at least {least}, got {number}")
    return number


def text_of(value: Array, name: str) -> bytes:
    """An argument that is one string.

    Raises:
        ValueError: it is none.
    """
    if value.ndim:
        raise ValueError(f"{name} must be a scalar, got shape {list(value.shape)}")
    text: Any = value.item()
    return bytes(text)
