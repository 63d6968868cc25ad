"""References: where a session keeps the value of a variable, and how a plan passes that around."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from . import errors

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..shape_inference.protocols import Array
    from ..shape_inference.tensor_shape import TensorShape
    from .node import Operation


class Reference:
    """The value of one variable in one session.

    A value is an array that nobody writes to; an assignment puts another in its place, in one
    step. So whoever has read a value keeps what was read, and an assignment that fails or is
    interrupted changes nothing.

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
        """The reference as what a slot of a plan holds: an array of rank 0."""
        handle = np.empty((), object)
        handle[()] = self
        handle.flags.writeable = False
        return handle

    @property
    def initialized(self) -> bool:
        """Whether there is a value."""
        return self._value is not None

    def read(self) -> Array:
        """The value.

        Raises:
            FailedPreconditionError: there is none yet.
        """
        value = self._value
        if value is None:
            raise self._uninitialized()
        return value

    def assign(self, value: Array, validate_shape: bool = True, *, any_shape: bool = False) -> None:
        """Makes a copy of `value` the value.

        Args:
            value: an array of the dtype of the variable.
            validate_shape: whether it must have the shape of the value that is replaced.
            any_shape: whether it need not even fit the shape that the variable declares.

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
        new = np.array(value, order="C")  # a view of it may be in other hands
        new.flags.writeable = False
        with self._lock:
            old = self._value
            if validate_shape and old is not None and old.shape != new.shape:
                raise ValueError(
                    f"{self._name} has a value of shape {list(old.shape)}, got one of shape "
                    f"{list(new.shape)} to put in its place, with validate_shape=True"
                )
            self._value = new

    def update(self, change: Callable[[Array], Array]) -> Array:
        """Makes `change(value)`, a new array, the value; no other update comes in between.

        Returns:
            The new value.

        Raises:
            FailedPreconditionError: there is no value yet.
        """
        with self._lock:
            new = change(self.read())
            new.flags.writeable = False
            self._value = new
        return new

    def clear(self) -> Array:
        """Removes the value and returns it.

        Raises:
            FailedPreconditionError: there is none.
        """
        with self._lock:
            value = self.read()
            self._value = None
        return value

    @property
    def _name(self) -> str:
        return f"the variable {self.op.name!r}"

    def _uninitialized(self) -> errors.FailedPreconditionError:
        users = self.op.graph.consumers(self.op.outputs[0])
        initializer = next((user.name for user in users if user.definition.traits.assigns), None)
        advice = "nothing assigns one" if initializer is None else f"run {initializer!r} first"
        return errors.FailedPreconditionError(
            None, None, f"{self._name} has no value in this session: {advice}"
        )


def reference(handle: Array) -> Reference:
    """The reference that a handle stands for.

    Raises:
        ValueError: it stands for none, as where an ordinary value was fed in its place.
    """
    item = handle.item() if handle.dtype == object and not handle.ndim else None
    if not isinstance(item, Reference):
        raise ValueError("a reference to a variable is needed, got a value")
    return item


def dereference(handle: Array) -> Array:
    """The kernel that reads what a handle refers to."""
    return reference(handle).read()
