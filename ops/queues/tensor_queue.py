"""Queues of tuples of arrays at run time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...protos.dtypes import DType
from ...runtime import errors
from ...runtime.waiting import Waits
from ...shape_inference.protocols import Array
from ...shape_inference.tensor_shape import TensorShape
from .wait_queues import Attempt, WaitingLines

if TYPE_CHECKING:
    Element = tuple[Array, ...]

_ENDLESS = 2**31 - 1


class TensorQueue(WaitingLines):
    """A queue whose elements leave in the order in which they came.

    Args:
        name: what errors call it.
        dtypes: the dtype of each component of an element.
        shapes: the shape of each component; none where elements may differ.
        capacity: the greatest number of elements; a negative one for no limit.
    """

    kind = "FIFOQueue"

    def __init__(
        self, name: str, dtypes: Sequence[DType], shapes: Sequence[TensorShape], capacity: int
    ) -> None:
        self.name = name
        self.dtypes = list(dtypes)
        self.shapes = list(shapes)
        self.capacity = _ENDLESS if capacity < 0 else capacity
        self.closed = False
        self._putting: deque[Attempt] = deque()
        self._taking: deque[Attempt] = deque()
        super().__init__(self._putting, self._taking)
        self._made()

    # What kinds of queues differ in --------------------------------------------------------------

    def _made(self) -> None:
        self._items: deque[Element] = deque()

    def __len__(self) -> int:
        return len(self._items)

    def _put(self, element: Element) -> None:
        self._items.append(element)

    def _take(self) -> Element:
        return self._items.popleft()

    def _put_back(self, elements: Sequence[Element]) -> None:
        """Takes back what has been taken, the first of which left first."""
        self._items.extendleft(reversed(elements))

    def _takeable(self) -> int:
        """Number of elements that may leave."""
        return len(self)

    def _joined(self, elements: Sequence[Element]) -> Element:
        """Elements as one array for each component."""
        return tuple(
            [
                _stacked(parts, dtype, shape)
                for parts, dtype, shape in zip(
                    zip(*elements, strict=True) if elements else [()] * len(self.dtypes),
                    self.dtypes,
                    self.shapes,
                    strict=True,
                )
            ]
        )

    # What threads call ---------------------------------------------------------------------------

    def enqueue(self, elements: Sequence[Element], waits: Waits, seconds: float | None) -> None:
        """Puts elements in, waiting for room.

        Raises:
            CancelledError: the queue is closed, or is while this waits, or the session is.
            DeadlineExceededError: the time is over; what has gone in stays there.
        """
        waiting = deque(elements)

        def step() -> bool:
            if self.closed:
                raise errors.CancelledError(None, None, f"{self.kind} '{self.name}' is closed.")
            while waiting and len(self) < self.capacity:
                self._put(waiting.popleft())
                self._moves += 1
            return not waiting

        attempt = Attempt(step, waiting.clear)
        self._serve(self._putting, attempt, waits, seconds, "Enqueue operation was cancelled")

    def dequeue(self, waits: Waits, seconds: float | None) -> Element:
        """Takes the next element out, waiting for one.

        Raises:
            OutOfRangeError: the queue is closed and there is none.
            CancelledError: the session is closed.
            DeadlineExceededError: the time is over.
        """
        return self._dequeued(1, False, waits, seconds)[0]

    def dequeue_many(
        self, number: int, may_be_fewer: bool, waits: Waits, seconds: float | None
    ) -> Element:
        """Takes elements out as one array for each component, waiting until there are enough.

        Args:
            number: how many.
            may_be_fewer: whether fewer do, but not none, when the queue is closed.
            waits: what the session waits for.
            seconds: the longest time to wait.

        Raises:
            InvalidArgumentError: the queue does not know the shapes.
            OutOfRangeError: the queue is closed and there are not enough; they stay there.
            CancelledError: the session is closed.
            DeadlineExceededError: the time is over.
        """
        if number < 0:
            raise ValueError(f"n must be at least 0, got {number}")
        if not self.shapes:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"{self.kind}'s DequeueMany and DequeueUpTo require the components to have "
                "specified shapes.",
            )
        elements = self._dequeued(number, may_be_fewer, waits, seconds) if number else []
        return self._joined(elements)

    def _dequeued(
        self, number: int, may_be_fewer: bool, waits: Waits, seconds: float | None
    ) -> list[Element]:
        taken: list[Element] = []

        def step() -> bool:
            if self.closed and len(self) < number - len(taken):
                if not may_be_fewer or not (taken or len(self)):
                    give_up()
                    raise errors.OutOfRangeError(
                        None,
                        None,
                        f"{self.kind} '{self.name}' is closed and has insufficient elements "
                        f"(requested {number}, current size {len(self)})",
                    )
                taken.extend([self._take() for _ in range(len(self))])
                return True
            for _ in range(min(number - len(taken), self._takeable())):
                taken.append(self._take())
                self._moves += 1
            return len(taken) == number

        def give_up() -> None:
            self._put_back(taken)
            taken.clear()

        attempt = Attempt(step, give_up)
        self._serve(self._taking, attempt, waits, seconds, "Dequeue operation was cancelled")
        return taken

    def close(self, cancel_pending: bool, waits: Waits) -> None:
        """Lets nothing in any more.

        Args:
            cancel_pending: whether what waits to get in is turned away; otherwise this waits, too.
            waits: what the session waits for.

        Raises:
            CancelledError: the queue is closed already; or the session is, meanwhile.
        """
        if cancel_pending:
            with self._lock:
                self.closed = True
                for attempt in self._putting:
                    attempt.error = errors.CancelledError(
                        None, None, "Enqueue operation was cancelled"
                    )
                    attempt.done.set()
                self._putting.clear()
                self._flush()
            return

        def step() -> bool:
            if self.closed:
                raise errors.CancelledError(None, None, f"Queue '{self.name}' is already closed.")
            self.closed = True
            return True

        attempt = Attempt(step, lambda: None)
        self._serve(self._putting, attempt, waits, None, "Close operation was cancelled")

    # What elements have to be --------------------------------------------------------------------

    def element(self, components: Sequence[Array]) -> Element:
        """Arrays as an element of the queue: copied, so that no other code writes into it.

        Raises:
            ValueError: they are of other dtypes, or do not fit the shapes.
        """
        self._check_dtypes(components)
        for i, (shape, array) in enumerate(zip(self.shapes, components, strict=False)):
            if not shape.is_compatible_with(array.shape):
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"Shape mismatch in tuple component {i}. Expected {_shown(shape)}, got "
                    f"{_shown(array.shape)}",
                )
        return tuple(map(_kept, components))

    def elements(self, components: Sequence[Array]) -> list[Element]:
        """Arrays as elements of the queue, one for each row.

        Raises:
            ValueError: they are of other dtypes, or do not fit the shapes, or differ in length.
        """
        self._check_dtypes(components)
        for i, array in enumerate(components):
            number = len(components[0]) if components[0].ndim else 0
            shape = TensorShape([number]) + (self.shapes[i] if self.shapes else TensorShape(None))
            if not array.ndim or not shape.is_compatible_with(array.shape):
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"Shape mismatch in tuple component {i}. Expected {_shown(shape)}, got "
                    f"{_shown(array.shape)}",
                )
        return list(zip(*[rows(_kept(array)) for array in components], strict=True))

    def _check_dtypes(self, components: Sequence[Array]) -> None:
        if len(components) != len(self.dtypes):
            raise ValueError(
                f"an element of '{self.name}' has {len(self.dtypes)} components, got "
                f"{len(components)}"
            )
        for i, (dtype, array) in enumerate(zip(self.dtypes, components, strict=True)):
            if array.dtype != dtype.numpy_dtype:
                raise ValueError(
                    f"Type mismatch in tuple component {i}. Expected {dtype.name}, got "
                    f"{array.dtype}"
                )


def _kept(array: Array) -> Array:
    kept = np.array(array, order="C")
    kept.flags.writeable = False
    return kept


def rows(array: Array) -> list[Array]:
    """The rows of an array, each an array."""
    return [array[i, ...] for i in range(len(array))]


def _stacked(parts: Iterable[Array], dtype: DType, shape: TensorShape) -> Array:
    """Arrays of a shape in one; padded with zeros where the shape leaves sizes open."""
    arrays = list(parts)
    sizes = [
        max([array.shape[i] for array in arrays], default=0) if size is None else size
        for i, size in enumerate(shape.as_list())
    ]
    result = np.empty((len(arrays), *sizes), dtype.numpy_dtype)
    if not shape.is_fully_defined():
        result[...] = b"" if result.dtype == object else 0
    for i, array in enumerate(arrays):
        place: tuple[Any, ...] = (i, *[slice(size) for size in array.shape])
        result[(*place, ...)] = array  # without the dots, text would be kept as an array of one
    return result


def _shown(shape: Any) -> str:
    sizes = TensorShape(shape).as_list()
    return f"[{','.join('?' if size is None else str(size) for size in sizes)}]"
