"""Identity ops: identity, stop_gradient, and related ops that pass their input on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Operation, Tensor
from ...graph.op_def import OpDef
from ...runtime.passthrough import passthrough
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import STATEFUL, Move, Traits
from ..common.allocation import new_zeros
from .placeholder import PLACEHOLDER_WITH_DEFAULT

public = {
    "td": "guarantee_const identity identity_n stop_gradient",
}


IDENTITY = OpDef(
    "Identity", "input: T -> output: T", "T: type", traits=Move(views=True, splits="=")
)
SNAPSHOT = OpDef(
    "Snapshot", "input: T -> output: T", "T: type", traits=Move(views=True, splits="=")
)
STOP_GRADIENT = OpDef(
    "StopGradient", "input: T -> output: T", "T: type", traits=Move(views=True, splits="=")
)
PREVENT_GRADIENT = OpDef(
    "PreventGradient",
    "input: T -> output: T",
    "T: type, message: string = ''",
    traits=Move(views=True, splits="="),
)
IDENTITY_N: OpDef[list[Tensor]] = OpDef(
    "IdentityN", "input: T -> output: T", "T: list(type) >= 1", traits=Move(views=True, splits="=")
)
_IDLE = Traits(stateful=True, idle=True)
NO_OP: OpDef[Operation] = OpDef("NoOp", "->", traits=_IDLE)
# In TensorFlow it runs even if its control inputs are dead, as in a branch not taken.
CONTROL_TRIGGER: OpDef[Operation] = OpDef("ControlTrigger", "->", traits=_IDLE)


@IDENTITY.shape
@SNAPSHOT.shape
@STOP_GRADIENT.shape
@PREVENT_GRADIENT.shape
def _identity_shape(c: ShapeContext) -> TensorShape:
    c.relay_contents()
    return c.shape("input")


@PLACEHOLDER_WITH_DEFAULT.view_kernel
@IDENTITY.view_kernel
@IDENTITY_N.view_kernel
@SNAPSHOT.view_kernel
@STOP_GRADIENT.view_kernel
@PREVENT_GRADIENT.view_kernel
def _identity_kernel(c: KernelContext) -> Kernel:
    return passthrough


@IDENTITY_N.shape
def _identity_n_shape(c: ShapeContext) -> list[TensorShape]:
    c.relay_contents()
    return c.shapes("input")


@CONTROL_TRIGGER.kernel
@NO_OP.kernel
def _no_op_kernel(c: KernelContext) -> Kernel:

    def no_op() -> None:
        return None

    return no_op


def identity(input: TensorLike, name: str | None = None) -> Tensor:
    """A tensor with the value of `input`.

    Args:
        input: a tensor of any dtype and shape.
        name: a name for the op.

    Returns:
        A Tensor of the same dtype and shape.

    Example:
        >>> with td.Graph().as_default():
        ...     td.identity([1, 2], name="copy").name
        'copy:0'
    """
    return IDENTITY(input, name=name)


def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor:
    """A tensor with the value of `input`, through which no gradient passes.

    Args:
        input: a tensor of any dtype and shape.
        name: a name for the op.

    Returns:
        A Tensor.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.stop_gradient([1.0, 2.0])))
        [1. 2.]
    """
    return STOP_GRADIENT(input, name=name)


def identity_n(input: Sequence[Any], name: str | None = None) -> list[Tensor]:
    """Tensors with the values of several others.

    Args:
        input: a list of tensors, which may be of different dtypes.
        name: a name for the op.

    Returns:
        A list of Tensors.

    Raises:
        ValueError: the list is empty.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.identity_n([1, "two"]))
        [np.int32(1), b'two']
    """
    return IDENTITY_N(input, name=name)


def _handing_on(op_type: str, attrs: str = "") -> OpDef:
    """A row of the table of ops that are the identity."""
    op = OpDef(op_type, "input: T -> output: T", f"T: type{attrs}", traits=Move())

    @op.shape
    def shape(c: ShapeContext) -> TensorShape:
        c.relay_contents()
        return c.shape("input")

    @op.view_kernel
    def kernel(c: KernelContext) -> Kernel:
        return passthrough

    return op


_COPY = ", tensor_name: string = '', debug_ops_spec: list(string) = []"
_WATCHED = (
    ", device_name: string = '', tensor_name: string = '', debug_urls: list(string) = [], "
    "gated_grpc: bool = false"
)
GUARANTEE_CONST = _handing_on("GuaranteeConst")
DEBUG_GRADIENT_IDENTITY = _handing_on("DebugGradientIdentity")
# Inserted by TensorFlow's debugger into the graphs that it watches.
COPY = _handing_on("Copy", _COPY)
COPY_HOST = _handing_on("CopyHost", _COPY)
DEBUG_IDENTITY = _handing_on("DebugIdentity", _WATCHED)
DEEP_COPY = OpDef("DeepCopy", "x: T -> y: T", "T: type", traits=STATEFUL)
FAKE_PARAM = OpDef("FakeParam", "-> output: dtype", "dtype: type, shape: shape")
REF_IDENTITY = OpDef("RefIdentity", "input: Ref(T) -> output: Ref(T)", "T: type")
DEBUG_GRADIENT_REF_IDENTITY = OpDef(
    "DebugGradientRefIdentity", "input: Ref(T) -> output: Ref(T)", "T: type"
)
REF_SELECT = OpDef(
    "RefSelect", "index: int32, inputs: Ref(N * T) -> output: Ref(T)", "T: type, N: int >= 1"
)


@DEEP_COPY.shape
def _deep_copy_shape(c: ShapeContext) -> TensorShape:
    return c.shape("x")


@DEEP_COPY.fresh_kernel
def _deep_copy_kernel(c: KernelContext) -> Kernel:
    return np.copy


@FAKE_PARAM.shape
def _fake_param_shape(c: ShapeContext) -> TensorShape:
    return c.attr("shape")


@FAKE_PARAM.fresh_kernel
def _fake_param_kernel(c: KernelContext) -> Kernel:
    """Dummy output of a branch for a tensor of another branch; it is never read."""
    shape, dtype = c.attr("shape"), c.output_dtype.numpy_dtype
    sizes = [] if shape.rank is None else [size or 0 for size in shape.as_list()]

    def fake_param() -> Array:
        return new_zeros(sizes, dtype)

    return fake_param


@REF_IDENTITY.shape
@DEBUG_GRADIENT_REF_IDENTITY.shape
def _ref_identity_shape(c: ShapeContext) -> TensorShape:
    return c.shape("input")


@REF_IDENTITY.kernel
@DEBUG_GRADIENT_REF_IDENTITY.kernel
def _ref_identity_kernel(c: KernelContext) -> Kernel:

    def ref_identity(handle: Array) -> Array:
        return handle

    return ref_identity


@REF_SELECT.shape
def _ref_select_shape(c: ShapeContext) -> TensorShape:
    c.shape("index", rank=0)
    shapes, index = c.shapes("inputs"), c.const("index")
    if index is not None and 0 <= index < len(shapes):
        return shapes[int(index)]
    first = shapes[0]
    return first if all(shape.sizes == first.sizes for shape in shapes) else UNKNOWN_SHAPE


@REF_SELECT.kernel
def _ref_select_kernel(c: KernelContext) -> Kernel:
    number = c.attr("N")

    def ref_select(index: Array, *handles: Array) -> Array:
        if index.ndim or not 0 <= index < number:
            raise ValueError(f"index = {index.tolist()} is not in [0, {number})")
        return handles[int(index)]

    return ref_select


def guarantee_const(input: TensorLike, name: str | None = None) -> Tensor:
    """A tensor that the program promises never to change.

    TensorFlow's optimizations may read it once for all runs; here it is read at each run.

    Args:
        input: a tensor.
        name: a name for the op.

    Returns:
        A Tensor with the same elements.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.guarantee_const([1, 2])))
        [1 2]
    """
    return GUARANTEE_CONST(input, name=name)
