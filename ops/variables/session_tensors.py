"""Tensors that stay in a session between runs, behind handles."""

from __future__ import annotations

from collections.abc import MutableMapping
from itertools import count
from typing import Any

from ...graph.default_graph import get_default_graph
from ...graph.node import Operation, Tensor
from ...graph.op_def import OpDef
from ...protos import dtypes
from ...protos.dtypes import DType
from ...runtime.object_arrays import object_scalar
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR, UNKNOWN_SHAPE
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import STATEFUL
from ..array.placeholder import placeholder

public = {"td": "delete_session_tensor get_session_handle get_session_tensor"}

GET_SESSION_HANDLE = OpDef(
    "GetSessionHandle", "value: T -> handle: string", "T: type", traits=STATEFUL
)
GET_SESSION_TENSOR = OpDef(
    "GetSessionTensor", "handle: string -> value: dtype", "dtype: type", traits=STATEFUL
)
DELETE_SESSION_TENSOR: OpDef[Any] = OpDef(
    "DeleteSessionTensor", "handle: string ->", traits=STATEFUL
)

_KEY = "tensors of the session"
_CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


class TensorHandle(bytes):
    """Result of `td.get_session_handle` in a run: names a tensor that the session keeps.

    It can be fed wherever a handle is expected. When it is no longer referenced, the session drops
    the tensor.
    """

    _store: MutableMapping[str, Array]
    _kept: bool

    @classmethod
    def of(cls, name: str, store: MutableMapping[str, Array]) -> TensorHandle:
        """The handle of what a store has under a name."""
        handle = cls(name.encode())
        handle._store, handle._kept = store, False
        return handle

    @property
    def handle(self) -> str:
        """The name."""
        return self.decode()

    def get_raw_handle(self) -> str:
        """The name, for callers that keep the tensor for longer than this object."""
        self._kept = True
        return self.handle

    def eval(self) -> Any:
        """The value of the tensor.

        Raises:
            TypeError: it has been deleted.
        """
        value = self._store.get(self.handle)
        if value is None:
            raise TypeError(f"Persistent tensor {self.handle} may have already been deleted.")
        return value.copy() if value.ndim else value[()]

    def delete(self) -> None:
        """Has the session forget the tensor.

        Raises:
            TypeError: it has been deleted.
        """
        if self._store.pop(self.handle, None) is None:
            raise TypeError(f"Persistent tensor {self.handle} may have already been deleted.")

    def __str__(self) -> str:
        return self.handle

    def __del__(self) -> None:
        if not getattr(self, "_kept", True):
            self._store.pop(self.handle, None)


def _store_of(c: KernelContext) -> MutableMapping[str, Array]:
    return c.state.setdefault(_KEY, {})


@GET_SESSION_HANDLE.shape
def _handle_shape(c: ShapeContext) -> TensorShape:
    return SCALAR


@GET_SESSION_TENSOR.shape
def _tensor_shape(c: ShapeContext) -> TensorShape:
    c.shape("handle", rank=0)
    return UNKNOWN_SHAPE


@DELETE_SESSION_TENSOR.shape
def _delete_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("handle", rank=0)
    return []


@GET_SESSION_HANDLE.kernel
def _handle_kernel(c: KernelContext) -> Kernel:
    store, name = _store_of(c), c.node.name
    numbers = c.state.setdefault((_KEY, "numbers"), count())

    def keep(value: Array) -> Array:
        handle = f"{name};{next(numbers)};{_CPU}"
        store[handle] = value.copy()
        result: Array = object_scalar(TensorHandle.of(handle, store))
        return result

    return keep


def _name(handle: Array) -> str:
    if handle.ndim:
        raise ValueError(f"handle must be of rank 0, got shape {handle.shape}")
    return bytes(handle.item()).decode(errors="replace")


@GET_SESSION_TENSOR.kernel
def _tensor_kernel(c: KernelContext) -> Kernel:
    store, dtype = _store_of(c), c.attr("dtype").numpy_dtype

    def kept(handle: Array) -> Array:
        value = store.get(_name(handle))
        if value is None:
            raise ValueError(
                f"handle = {_name(handle)!r}: The tensor with that handle is not in the session "
                "store, or has been deleted"
            )
        if value.dtype != dtype:
            raise ValueError(f"dtype must be that of the tensor, {value.dtype}, got {dtype}")
        return value.copy()

    return kept


@DELETE_SESSION_TENSOR.kernel
def _delete_kernel(c: KernelContext) -> Kernel:
    store = _store_of(c)

    def forget(handle: Array) -> tuple[()]:
        if store.pop(_name(handle), None) is None:
            raise ValueError(f"handle = {_name(handle)!r} names no tensor in the session store")
        return ()

    return forget


def get_session_handle(data: Tensor, name: str | None = None) -> Tensor:
    """A handle of a tensor, whose value then stays in the session between runs.

    Args:
        data: the tensor.
        name: a name for the op.

    Returns:
        A string Tensor; its value is an object with `handle` (the name), `eval()` and `delete()`.

    Raises:
        TypeError: `data` is not a Tensor.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     product = session.run(td.get_session_handle(td.multiply([1, 2], 3)))
        ...     holder, value = td.get_session_tensor(product.handle, td.int32)
        ...     print(session.run(value + 1, {holder: product.handle}), product.eval())
        [4 7] [3 6]
    """
    if not isinstance(data, Tensor):
        raise TypeError(f"`data` must be of type Tensor, got {data!r}")
    return GET_SESSION_HANDLE(data, name=name)


def get_session_tensor(
    handle: Any, dtype: DType | str, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The tensor that a session keeps under a handle.

    Args:
        handle: any handle: which one is meant is fed.
        dtype: the dtype of the tensor.
        name: a name for the op.

    Returns:
        A placeholder for the handle, and the tensor.

    Raises:
        InvalidArgumentError: in a run, the session keeps nothing under the handle that is fed, or
            what it keeps is of another dtype.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     kept = session.run(td.get_session_handle(td.constant(7)))
        ...     holder, value = td.get_session_tensor(kept.handle, td.int32)
        ...     session.run(value, {holder: kept.handle})
        np.int32(7)
    """
    _check_handle(handle)
    with get_default_graph().device(None):
        holder = placeholder(dtypes.string, [])
        return holder, GET_SESSION_TENSOR(holder, dtype=dtype, name=name)


def delete_session_tensor(handle: Any, name: str | None = None) -> tuple[Tensor, Operation]:
    """An op that has a session forget the tensor that it keeps under a handle.

    Args:
        handle: any handle: which one is meant is fed.
        name: a name for the op.

    Returns:
        A placeholder for the handle, and the operation.

    Raises:
        InvalidArgumentError: in a run, the session keeps nothing under the handle that is fed.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     kept = session.run(td.get_session_handle(td.constant(7)))
        ...     holder, forget = td.delete_session_tensor(kept.handle)
        ...     session.run(forget, {holder: kept.handle})
    """
    _check_handle(handle)
    holder = placeholder(dtypes.string, [])
    op: Operation = DELETE_SESSION_TENSOR(holder, name=name)
    return holder, op


def _check_handle(handle: Any) -> None:
    if not isinstance(handle, (str, bytes)):
        raise TypeError(f"handle must be the name of a tensor, such as its .handle, got {handle!r}")
