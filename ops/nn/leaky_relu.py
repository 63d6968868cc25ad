"""`td.nn.leaky_relu`: a line that is less steep below 0."""

from __future__ import annotations

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...runtime.kernel_spec import KernelSpec, Memory
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Elementwise
from ..array.cast import cast
from ..common.blockwise import block_by_block
from ..common.select_elements import sloped

public = {"td.nn": "leaky_relu"}

LEAKY_RELU = OpDef(
    "LeakyRelu",
    "features: T -> activations: T",
    "alpha: float = 0.20000000298023224, T: {half, bfloat16, float32, float64} = float32",
    traits=Elementwise(),
)


@LEAKY_RELU.shape
def _leaky_relu_shape(c: ShapeContext) -> TensorShape:
    return c.shape("features")


@LEAKY_RELU.kernel
def _leaky_relu_kernel(c: KernelContext) -> Kernel:
    alpha = c.output_dtype.numpy_dtype.type(c.attr("alpha"))

    def leaky_relu(x: Array) -> Array:
        return np.asarray(sloped(x, alpha))

    expression = f"{{0}} if {{0}} > {{t}}(0) else {{0}} * {{t}}({float(alpha)!r})"
    known = expression if np.isfinite(alpha) else None
    return KernelSpec(block_by_block(leaky_relu), Memory.FRESH, expression=known)


def leaky_relu(features: TensorLike, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """`x` where it is positive, else `alpha * x`.

    Args:
        features: a tensor of floats; integers become float32.
        alpha: the slope below 0.
        name: a name for the op.

    Returns:
        A Tensor of the shape of `features`.

    Raises:
        TypeError: `features` is of another dtype.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.nn.leaky_relu([-1.0, 2.0], alpha=0.5)))
        [-0.5  2. ]
    """
    with name_scope(name, "LeakyRelu", [features]) as scope:
        x = convert_to_tensor(features, name="features")
        if x.dtype.is_integer:
            x = cast(x, "float32")
        return LEAKY_RELU(x, alpha=alpha, name=scope)
