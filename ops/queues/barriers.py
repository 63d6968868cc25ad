"""Barriers at run time: components of elements by key, until all are there."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Any

import numpy as np

from ...protos.dtypes import DType
from ...runtime import errors
from ...runtime.waiting import Waits
from ...shape_inference.protocols import Array
from ...shape_inference.tensor_shape import TensorShape
from .wait_queues import Attempt, WaitingLines

_FIRST = -(2**63)


class TensorBarrier(WaitingLines):
    """Elements by keys, whose components come one after the other; complete ones leave in order.

    An element's place in the order, its index, is that of the insertion which brought its first
    component.

    Args:
        name: what errors call it.
        dtypes: the dtype of each component.
        shapes: the shape of each component, as far as they are known.
    """

    kind = "Barrier"

    def __init__(self, name: str, dtypes: Sequence[DType], shapes: Sequence[TensorShape]) -> None:
        self.name = name
        self.dtypes = list(dtypes)
        self.shapes = list(shapes)
        self._closed = False
        self._cancelled = False
        self._index = _FIRST
        self._incomplete: dict[bytes, tuple[int, dict[int, Array]]] = {}
        self._ready: list[tuple[int, int, bytes, tuple[Array, ...]]] = []
        self._arrivals = count()
        self._taking: deque[Attempt] = deque()
        super().__init__(self._taking)

    @property
    def ready(self) -> int:
        """Number of complete elements."""
        return len(self._ready)

    @property
    def incomplete(self) -> int:
        """Number of elements that lack a component."""
        return len(self._incomplete)

    def insert(self, component: int, keys: Sequence[bytes], values: Array) -> None:
        """Gives elements one of their components.

        Args:
            component: which one.
            keys: the elements.
            values: a row for each of them.

        Raises:
            InvalidArgumentError: an element has it already, or rows do not fit.
            CancelledError: the barrier is closed, and a key is new.
        """
        self._check(component, keys, values)
        with self._lock:
            if self._closed and (self._cancelled or (keys and not self._incomplete)):
                raise errors.CancelledError(
                    None,
                    None,
                    f"Barrier {self.name} is closed.  Pending enqueues cancelled: "
                    f"{int(self._cancelled)}.  Number of new insertions: {len(keys)}.  Number of "
                    f"incomplete keys: {len(self._incomplete)}.",
                )
            count = len(self._incomplete) + len(self._ready)
            try:
                for key, row in zip(keys, values, strict=True):
                    self._insert_one(
                        component, key, np.array(row, self.dtypes[component].numpy_dtype)
                    )
            finally:
                self._index += len(self._incomplete) + len(self._ready) > count
                self._moves += 1
                self._flush()

    def _insert_one(self, component: int, key: bytes, value: Array) -> None:
        if self._closed and key not in self._incomplete:
            raise errors.CancelledError(
                None,
                None,
                f"Barrier {self.name} is closed, but attempted to insert a brand new key: "
                f"{key.decode('utf-8', 'replace')}",
            )
        index, parts = self._incomplete.setdefault(key, (self._index, {}))
        if component in parts:
            raise ValueError(
                f"Key {key.decode('utf-8', 'replace')} already has a value for component "
                f"{component} in barrier {self.name}"
            )
        value.flags.writeable = False
        parts[component] = value
        if len(parts) == len(self.dtypes):
            del self._incomplete[key]
            whole = tuple([parts[i] for i in range(len(parts))])
            heappush(self._ready, (index, next(self._arrivals), key, whole))

    def _check(self, component: int, keys: Sequence[bytes], values: Array) -> None:
        if not 0 <= component < len(self.dtypes):
            raise ValueError(
                f"The component ID is out of range {component} > num_components (= "
                f"{len(self.dtypes)})"
            )
        dtype, shape = self.dtypes[component], self.shapes[component]
        if values.dtype != dtype.numpy_dtype:
            raise ValueError(
                f"values must be of dtype {dtype.name}, as component {component} is, got "
                f"{values.dtype}"
            )
        if not values.ndim or len(values) != len(keys):
            raise ValueError(
                f"values must have a row for each of the {len(keys)} keys, got shape "
                f"{list(values.shape)}"
            )
        if keys and not values.size:
            raise ValueError(
                f"Tensors with no elements are not supported {self.name}: received "
                f"shape {list(values.shape)}"
            )
        if keys and not shape.is_compatible_with(values.shape[1:]):
            raise ValueError(
                f"Shape mismatch in tuple component {component}. Expected {shape.as_list()}, got "
                f"{list(values.shape[1:])}"
            )

    def take(
        self, number: int, may_be_fewer: bool, waits: Waits, seconds: float | None
    ) -> tuple[Array, Array, list[Array]]:
        """Takes complete elements, waiting for them.

        Args:
            number: how many.
            may_be_fewer: whether fewer will do once the barrier is closed.
            waits: what the session waits for.
            seconds: the longest time.

        Returns:
            The indices, the keys, and the components.

        Raises:
            OutOfRangeError: the barrier is closed, and there will not be as many.
        """
        if number < 0:
            raise ValueError(f"num_elements must be at least 0, got {number}")
        taken: list[Any] = []

        def step() -> bool:
            wanted = number
            if self._closed:
                coming = 0 if may_be_fewer else len(self._incomplete)
                wanted = min(number, len(self._ready)) if may_be_fewer else number
                if len(self._ready) + coming < max(wanted, 1):
                    raise errors.OutOfRangeError(
                        None,
                        None,
                        f"Barrier '{self.name}' is closed and has insufficient elements "
                        f"(requested {wanted}, total size {len(self._ready) + coming})",
                    )
            if len(self._ready) < wanted:
                return False
            taken.extend([heappop(self._ready) for _ in range(wanted)])
            return True

        def give_up() -> None:
            while taken:
                heappush(self._ready, taken.pop())

        attempt = Attempt(step, give_up)
        self._serve(self._taking, attempt, waits, seconds, "TakeMany operation was cancelled")
        keys = np.empty(len(taken), object)
        keys[:] = [key for _, _, key, _ in taken]
        indices = np.array([index for index, *_ in taken], np.int64)
        return indices, keys, [self._stacked(i, taken) for i in range(len(self.dtypes))]

    def _stacked(self, component: int, taken: Sequence[Any]) -> Array:
        rows = [values[component] for *_, values in taken]
        if rows:
            return np.stack(rows)
        sizes = self.shapes[component].as_list() if self.shapes[component].sizes is not None else []
        shape = [0 if size is None else int(size) for size in sizes]
        return np.empty((0, *shape), self.dtypes[component].numpy_dtype)

    def close(self, cancel_pending: bool) -> None:
        """Lets no further key in.

        Args:
            cancel_pending: whether to drop what is not complete, and to complete nothing any more.

        Raises:
            CancelledError: the barrier is closed already.
        """
        with self._lock:
            if self._closed and (self._cancelled or not cancel_pending):
                raise errors.CancelledError(None, None, f"Barrier '{self.name}' is already closed.")
            self._closed, self._cancelled = True, cancel_pending
            if cancel_pending:
                self._incomplete.clear()
            self._moves += 1
            self._flush()
