"""Placeholders: tensors whose values are fed."""

from __future__ import annotations

from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.default_graph import get_default_graph
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.size_facts import positive_shape
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Input

public = {"td": "placeholder placeholder_with_default"}


PLACEHOLDER = OpDef(
    "Placeholder", "-> output: dtype", "dtype: type, shape: shape = ?", traits=Input()
)
PLACEHOLDER_V2 = OpDef(
    "PlaceholderV2", "-> output: dtype", "dtype: type, shape: shape", traits=Input()
)
PLACEHOLDER_WITH_DEFAULT = OpDef(
    "PlaceholderWithDefault",
    "input: dtype -> output: dtype",
    "dtype: type, shape: shape",
    traits=Input(stateful=True),  # so that the default is not folded into what depends on it
)


@PLACEHOLDER.shape
@PLACEHOLDER_V2.shape
def _placeholder_shape(c: ShapeContext) -> TensorShape:
    return c.attr("shape")


@PLACEHOLDER_WITH_DEFAULT.shape
def _placeholder_with_default_shape(c: ShapeContext) -> TensorShape:
    shape: TensorShape = c.attr("shape")
    if not shape.is_compatible_with(c.shape("input")):
        raise ValueError(f"input has shape {c.shape('input')}, which does not fit shape {shape}")
    return shape


@PLACEHOLDER.kernel
@PLACEHOLDER_V2.kernel
def _placeholder_kernel(c: KernelContext) -> Kernel:
    name, dtype, shape = c.node.name, c.output_dtype.name, c.attr("shape")

    def unfed() -> Array:
        raise ValueError(
            f"You must feed a value for placeholder {name!r}: one of {dtype}, {shape}; write "
            f"session.run(..., feed_dict={{'{name}:0': value}}), or the tensor in place of its name"
        )

    return unfed


def placeholder(
    dtype: Any, shape: Any = None, name: str | None = None, positive: bool = False
) -> Tensor:
    """A tensor whose value is fed at every run.

    Args:
        dtype: the dtype of what is fed.
        shape: the shape of what is fed: a size may be an int, None, or a name such as "batch",
            which stands for the same unknown size everywhere in the graph. By default anything.
        name: a name for the op.
        positive: whether no size is 0, which runs check of what is fed. Then `td.reshape` keeps
            more sizes, as -1 among sizes that may be 0 is ambiguous. A size that is None is named
            after the op and the axis: `x.0`.

    Returns:
        A Tensor. Evaluating it without a feed is an InvalidArgumentError.

    Raises:
        ValueError: a size is 0, and `positive` is set.

    Example:
        >>> with td.Graph().as_default():
        ...     x = td.placeholder(td.float32, ["batch", 784])
        ...     print(td.concat([x, x], 1).shape)
        (batch, 1568)
        >>> with td.Graph().as_default():
        ...     x = td.placeholder(td.float32, ["batch", "time", 4], positive=True)
        ...     flat = td.reshape(x, [-1, 4])
        ...     print(flat.shape, td.reshape(flat, [-1, td.shape(x)[1], 4]).shape)
        (batch*time, 4) (batch, time, 4)
    """
    stated = TensorShape(shape)
    if positive:
        name = name or PLACEHOLDER.name
        stated = positive_shape(stated, get_default_graph().unique_name(name, mark_as_used=False))
    return PLACEHOLDER(dtype=dtype, shape=stated, name=name)


def placeholder_with_default(input: TensorLike, shape: Any, name: str | None = None) -> Tensor:
    """A tensor that has the value `input` unless it is fed.

    Args:
        input: the default, of any dtype.
        shape: the shape of what may be fed; that of `input` must fit it.
        name: a name for the op.

    Returns:
        A Tensor of the dtype of `input`.

    Raises:
        ValueError: the shape of `input` does not fit `shape`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     rate = td.placeholder_with_default(0.5, [])
        ...     session.run(rate), session.run(rate, {rate: 0.25})
        (np.float32(0.5), np.float32(0.25))
    """
    return PLACEHOLDER_WITH_DEFAULT(input, shape=TensorShape(shape), name=name)
