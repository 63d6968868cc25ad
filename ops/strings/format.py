"""String formatting of tensors: format."""

from __future__ import annotations

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR
from ...shape_inference.tensor_shape import TensorShape
from ..common.array_text import layout

public = {"td.strings": "format"}

STRING_FORMAT = OpDef(
    "StringFormat",
    "inputs: T -> output: string",
    "T: list(type) >= 0, template: string = '%s', placeholder: string = '%s', summarize: int = 3",
)


@STRING_FORMAT.shape
def _format_shape(c: ShapeContext) -> TensorShape:
    _parts(c.attr("template"), c.attr("placeholder"), len(c.shapes("inputs")))
    return SCALAR


@STRING_FORMAT.fresh_kernel
def _format_kernel(c: KernelContext) -> Kernel:
    ends = c.attr("summarize")
    first, *rest = _parts(c.attr("template"), c.attr("placeholder"), len(c.inputs("inputs")))

    def write(*arrays: Array) -> Array:
        text = first
        for array, part in zip(arrays, rest, strict=True):
            text += layout(array, ends).encode("utf-8", "surrogateescape") + part
        return np.array(text, object)

    return write


def _parts(template: bytes, placeholder: bytes, number: int) -> list[bytes]:
    """Text around the placeholders.

    Raises:
        ValueError: there are not as many of them as tensors.
    """
    if not placeholder:
        raise ValueError("placeholder must not be empty")
    parts = template.split(placeholder)
    if len(parts) != number + 1:
        raise ValueError(
            f"template must have a placeholder {placeholder.decode(errors='replace')!r} for each "
            f"of {number} tensors, got {len(parts) - 1}"
        )
    return parts


def format(
    template: str,
    inputs: TensorLike,
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> Tensor:
    """A text with tensors written into it.

    Args:
        template: the text.
        inputs: a tensor, or a list of them, of any dtypes.
        placeholder: the text that is replaced by the next tensor.
        summarize: how many elements of each dimension are shown at either end; -1 for all.
        name: a name for the op.

    Returns:
        A Tensor of a scalar string.

    Raises:
        ValueError: there are not as many placeholders as tensors.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.strings.format("x: {}, y: {}", [td.range(10), 0.5]))
        b'x: [0 1 2 ... 7 8 9], y: 0.5'
    """
    given = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    tensors = [convert_to_tensor(item) for item in given]
    attrs = {"template": template, "placeholder": placeholder}
    return STRING_FORMAT(tensors, **attrs, summarize=summarize, name=name)
