"""Ops that hand on what they get: for debuggers, gradients, copies, and variables as references."""

from __future__ import annotations

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...runtime.passthrough import passthrough
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import STATEFUL, Move
from ..common.allocation import new_zeros

public = {"td": "guarantee_const"}


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
# What TensorFlow's debugger puts into the graphs that it watches.
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
    """What a branch puts out for a tensor of another one: nobody reads it."""
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
    """A tensor of which the program promises that it never changes.

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
