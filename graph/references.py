"""References: storage of variables' values in a session, and how plans pass them around."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ..runtime import errors
from ..runtime.object_arrays import handle_to
from ..shape_inference.protocols import Array
from ..shape_inference.tensor_shape import TensorShape
from .node import Operation, Tensor


def _references_to_a_local() -> int:
    value = np.empty(0)
    return sys.getrefcount(value)


_OWN_REFERENCES = _references_to_a_local()  # which differs between releases of Python
# Without the interpreter lock, reference counts are meaningless: values are always copied.
_COUNTED = getattr(sys, "_is_gil_enabled", lambda: True)()


class Reference:
    """The value of one variable in one session.

    A value that was read never changes: an assignment replaces the array in one step, and `modify`
    writes into the array only if there are no other references to it.

    Args:
        op: the operation that declares the variable.
        shape: the shape that every value must fit.
        dtype: the dtype of every value.
    """

    __slots__ = ("_lock", "_value", "dtype", "op", "shape")

    def __init__(self, op: Operation, shape: TensorShape, dtype: np.dtype[Any]) -> None:
        self.op = op
        self.shape = shape
        self.dtype = dtype
        self._lock = threading.Lock()
        self._value: Array | None = None

    @property
    def handle(self) -> Array:
        """Slot form of the reference: an array of rank 0."""
        array: Array = handle_to(self)
        return array

    @property
    def initialized(self) -> bool:
        """True if there is a value."""
        if self._value is not None:
            return True
        with self._lock:  # it may be away, being modified
            return self._value is not None

    def read(self) -> Array:
        """The value.

        Raises:
            FailedPreconditionError: there is none yet.
        """
        value = self._value
        if value is None:
            with self._lock:  # it may be away, being modified
                value = self._known()
        return value

    def _known(self) -> Array:
        if self._value is None:
            raise self._uninitialized()
        return self._value

    def assign(
        self,
        value: Array,
        validate_shape: bool = True,
        *,
        any_shape: bool = False,
        spare: bool = False,
    ) -> None:
        """Assigns a copy of `value`, or `value` itself if there are no other references to it.

        Args:
            value: an array of the dtype of the variable.
            validate_shape: whether it must have the shape of the value that is replaced.
            any_shape: whether it need not even fit the shape that the variable declares.
            spare: whether the array is not needed any more.

        Raises:
            ValueError: the value is of another dtype, or its shape does not fit.
        """
        if value.dtype != self.dtype:
            raise ValueError(f"{self._name} holds {self.dtype}, got a value of {value.dtype}")
        if not any_shape and not self.shape.is_compatible_with(value.shape):
            raise ValueError(
                f"{self._name} has shape {self.shape}, got a value of shape {list(value.shape)}; "
                "only one that is made with validate_shape=False takes values of any shape"
            )
        own = spare and value.base is None and value.flags.writeable and value.flags.c_contiguous
        new = value if own else np.array(value, order="C")  # there may be views of it
        new.flags.writeable = False
        with self._lock:
            old = self._value
            if validate_shape and old is not None and old.shape != new.shape:
                raise ValueError(
                    f"{self._name} has a value of shape {list(old.shape)}, got one of shape "
                    f"{list(new.shape)} to replace it, with validate_shape=True"
                )
            self._value = new

    def update(self, change: Callable[[Array], Array]) -> Array:
        """Replaces the value by `change(value)`, a new array, atomically.

        Returns:
            The new value.

        Raises:
            FailedPreconditionError: there is no value yet.
        """
        with self._lock:
            new = np.asarray(change(self._known()), order="C")  # for those that write into it
            new.flags.writeable = False
            self._value = new
        return new

    def clear(self) -> Array:
        """Removes the value and returns it.

        Raises:
            FailedPreconditionError: there is none.
        """
        with self._lock:
            value = self._known()
            self._value = None
        return value

    def _take(self) -> Array:
        """Writable array of the value: the value itself if there are no other references."""
        value, self._value = self._known(), None  # so that no reader gets it meanwhile
        # The expected references are this variable and the argument. Views of an array that owns
        # its memory refer to the array itself.
        if not _COUNTED or value.base is not None or sys.getrefcount(value) > _OWN_REFERENCES:
            self._value = value
            return value.copy()
        value.flags.writeable = True
        return value

    def _put(self, value: Array) -> None:
        value.flags.writeable = False
        self._value = value

    @property
    def _name(self) -> str:
        return f"the variable {self.op.name!r}"

    def _uninitialized(self) -> errors.FailedPreconditionError:
        users = self.op.graph.consumers(self.op.outputs[0])
        initializer = next((user.name for user in users if user.definition.traits.assigns), None)
        advice = "nothing assigns one"
        if initializer is not None:
            advice = (
                f"run {initializer!r} first, or session.run(td.global_variables_initializer()), or "
                "restore a checkpoint"
            )
        return errors.FailedPreconditionError(
            None, None, f"Attempting to use uninitialized value {self.op.name}: {advice}"
        )


def modify(change: Callable[..., Any], *references: Reference) -> None:
    """Calls `change` with the values of variables, arrays to write into.

    No other update comes in between. If the value has other references, the array is a copy.
    The change must validate its arguments before it writes.

    Raises:
        FailedPreconditionError: one has no value yet.
    """
    if len(references) == 1:
        _modify_one(change, references[0])
        return
    ordered = sorted(set(references), key=id)
    held = []
    taken: dict[Reference, Array] = {}
    try:
        for item in ordered:  # in one order, so that no two threads wait for each other
            item._lock.acquire()
            held.append(item)
        for item in ordered:
            item._known()
        for item in ordered:
            taken[item] = item._take()
        change(*[taken[item] for item in references])
    finally:
        for item, value in taken.items():
            item._put(value)
        for item in held:
            item._lock.release()


def _modify_one(change: Callable[..., Any], item: Reference) -> None:
    with item._lock:
        value = item._take()
        try:
            change(value)
        finally:
            item._put(value)


def reference(handle: Array) -> Reference:
    """Reference that a handle represents.

    Raises:
        ValueError: it represents none, as when an ordinary value was fed instead.
    """
    item = handle.item() if handle.dtype == object and not handle.ndim else None
    if not isinstance(item, Reference):
        raise ValueError("expected a reference to a variable, got a value")
    return item


def dereference(handle: Array) -> Array:
    """Kernel that reads the variable of a handle."""
    return reference(handle).read()


_HANDLES = ("resource", "variant")


def is_handle(tensor: Tensor) -> bool:
    """Returns whether a tensor represents state, such as that of a variable or queue."""
    return tensor.dtype.is_ref_dtype or tensor.dtype.name in _HANDLES


def state_owners(op: Operation) -> set[Operation]:
    """Ops that own the state to which an op takes or returns handles."""
    found: set[Operation] = set()
    pending = [op]
    while pending:
        user = pending.pop()
        handles = [tensor.op for tensor in user.inputs if is_handle(tensor)]
        pending += handles
        if not handles and any(map(is_handle, user.outputs)):
            found.add(user)
    return found
