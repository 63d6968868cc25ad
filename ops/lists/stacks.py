"""Stacks of tensors, in which TensorFlow 1.x keeps the values of loop iterations for gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.op_def import OpDef
from ...runtime.object_arrays import object_scalar
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.handle_data import HandleData
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR, UNKNOWN_SHAPE
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import STATEFUL
from .tensor_list import shown

_MADE = "elem_type: type, stack_name: string = ''"
_PUSHED = "T: type, swap_memory: bool = false"

STACK_V2 = OpDef("StackV2", "max_size: int32 -> handle: resource", _MADE, traits=STATEFUL)
STACK = OpDef("Stack", "-> handle: Ref(string)", _MADE, traits=STATEFUL)
STACK_PUSH_V2 = OpDef(
    "StackPushV2", "handle: resource, elem: T -> output: T", _PUSHED, traits=STATEFUL
)
STACK_PUSH = OpDef(
    "StackPush", "handle: Ref(string), elem: T -> output: T", _PUSHED, traits=STATEFUL
)
STACK_POP_V2 = OpDef(
    "StackPopV2", "handle: resource -> elem: elem_type", "elem_type: type", traits=STATEFUL
)
STACK_POP = OpDef(
    "StackPop", "handle: Ref(string) -> elem: elem_type", "elem_type: type", traits=STATEFUL
)
STACK_CLOSE_V2: OpDef[Any] = OpDef("StackCloseV2", "handle: resource ->", traits=STATEFUL)
STACK_CLOSE: OpDef[Any] = OpDef("StackClose", "handle: Ref(string) ->", traits=STATEFUL)


class Stack:
    """Tensors that ops push and pop while a graph runs.

    Args:
        dtype: of the elements.
        limit: how many there may be; less than 0 for as many as there are.
    """

    def __init__(self, dtype: np.dtype[Any], limit: int = -1) -> None:
        self.items: list[Array] = []
        self.dtype = dtype
        self.limit = limit
        self.closed = False

    def push(self, item: Array) -> None:
        """Puts a tensor on top.

        Raises:
            ValueError: it is of another dtype, or the stack is full or closed.
        """
        self._check_open()
        if item.dtype != self.dtype:
            raise ValueError(f"elem must be of {self.dtype}, got {item.dtype}")
        if 0 <= self.limit <= len(self.items):
            raise ValueError(f"the stack is full: max_size = {self.limit}")
        self.items.append(item)

    def pop(self, dtype: np.dtype[Any]) -> Array:
        """Takes the tensor on top.

        Raises:
            ValueError: there is none, it is of another dtype, or the stack is closed.
        """
        self._check_open()
        if dtype != self.dtype:
            raise ValueError(f"the elements are of {self.dtype}, asked for {dtype}")
        if not self.items:
            raise ValueError("the stack is empty")
        return self.items.pop()

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("the stack has been closed")


def _stack_of(handle: Array) -> Stack:
    stack = handle.item() if handle.dtype == object and handle.ndim == 0 else None
    if not isinstance(stack, Stack):
        raise ValueError(f"handle must be that of a stack, got {shown(handle.shape)}")
    return stack


@STACK_V2.shape
@STACK.shape
def _stack_shape(c: ShapeContext) -> TensorShape:
    c.hold(HandleData(c.attr("elem_type")))
    return SCALAR


@STACK_PUSH_V2.shape
@STACK_PUSH.shape
def _stack_push_shape(c: ShapeContext) -> TensorShape:
    c.hold(c.content("elem"))
    return c.shape("elem")


@STACK_POP_V2.shape
@STACK_POP.shape
def _stack_pop_shape(c: ShapeContext) -> TensorShape:
    return SCALAR if c.attr("elem_type").name in ("resource", "variant") else UNKNOWN_SHAPE


@STACK_V2.kernel
def _stack_v2_kernel(c: KernelContext) -> Kernel:
    dtype = c.attr("elem_type").numpy_dtype

    def make(max_size: Array) -> Array:
        if max_size.ndim:
            raise ValueError(f"max_size must be a scalar, got shape {max_size.shape}")
        return object_scalar(Stack(dtype, int(max_size)))

    return make


@STACK.kernel
def _stack_kernel(c: KernelContext) -> Kernel:
    dtype = c.attr("elem_type").numpy_dtype

    def make() -> Array:
        return object_scalar(Stack(dtype))

    return make


@STACK_PUSH_V2.kernel
@STACK_PUSH.kernel
def _stack_push_kernel(c: KernelContext) -> Kernel:

    def push(handle: Array, elem: Array) -> Array:
        _stack_of(handle).push(elem)
        return elem

    return push


@STACK_POP_V2.kernel
@STACK_POP.kernel
def _stack_pop_kernel(c: KernelContext) -> Kernel:
    dtype = c.attr("elem_type").numpy_dtype

    def pop(handle: Array) -> Array:
        return _stack_of(handle).pop(dtype)

    return pop


@STACK_CLOSE_V2.shape
@STACK_CLOSE.shape
def _stack_close_shape(c: ShapeContext) -> list[TensorShape]:
    return []


@STACK_CLOSE_V2.kernel
@STACK_CLOSE.kernel
def _stack_close_kernel(c: KernelContext) -> Any:

    def close(handle: Array) -> None:
        stack = _stack_of(handle)
        stack.closed = True
        stack.items.clear()

    return close
