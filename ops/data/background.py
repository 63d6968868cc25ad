"""Background threads of datasets: results wait for a consumer; threads end with the dataset."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...runtime import errors
from ...runtime.load_budget import carried
from ...runtime.thread_pools import Pool
from ...runtime.waiting import Waits

if TYPE_CHECKING:
    from .dataset_elements import Element, Elements

_CLOSED = "the session was closed"


class Task:
    """A call that a thread does."""

    __slots__ = ("_done", "_error", "_finished", "_value")

    def __init__(self) -> None:
        self._finished = threading.Event()
        self._done = False
        self._value: Any = None
        self._error: BaseException | None = None

    def run(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Does the call."""
        try:
            with np.errstate(all="ignore"):
                self._value = function(*arguments)
        except BaseException as error:  # noqa: BLE001 - raised where the result is asked for
            self._error = error
        self._done = True
        self._finished.set()

    def result(self, waits: Waits) -> Any:
        """Waits for the result of the call; raises its exception."""
        waits.wait(self._finished)
        if not self._done:
            raise errors.CancelledError(None, None, _CLOSED)
        if self._error is not None:
            raise self._error
        return self._value


class Workers:
    """Threads that run calls, and end when this object is no longer referenced.

    Args:
        number: how many.
        name: what their names begin with.
    """

    def __init__(self, number: int, name: str) -> None:
        self._pool = Pool(number, name)
        weakref.finalize(self, self._pool.close)

    def task(self, function: Callable[..., Any], *arguments: Any) -> Task:
        """Has a thread do a call."""
        task = Task()
        self._pool.submit(task.run, function, *arguments)
        return task

    @staticmethod
    def failed(error: BaseException) -> Task:
        """A call that is over: it has failed."""
        task = Task()
        task._error, task._done = error, True
        task._finished.set()
        return task


class Ahead:
    """Elements that a thread takes before they are asked for.

    The thread begins when the first element is asked for. It ends at the end of the elements, with
    the session, or when this object is no longer referenced.

    Args:
        elements: what the thread takes from.
        capacity: how many elements may wait.
        waits: what the session waits for.
    """

    def __init__(self, elements: Elements, capacity: int, waits: Waits) -> None:
        self._line = _Line(elements, capacity, waits)
        self._waits = waits
        self._started = False
        weakref.finalize(self, self._line.room.stop)

    def begun(self) -> Ahead:
        """This object, whose thread works already."""
        if not self._started:
            thread = threading.Thread(
                target=carried(self._line.fill), name="tensordraft-prefetch", daemon=True
            )
            thread.start()
            self._started = True  # an interrupt before this has a second thread begin, and end
        return self

    def next(self) -> Element | None:
        """The next element, once there is one."""
        line = self.begun()._line
        while True:
            with line.lock:
                if line.items:
                    item = line.items.popleft()
                    line.room.event.set()
                    return _given(*item)
                if line.ended:
                    return None
                line.arrived.clear()
            self._waits.wait(line.arrived)
            if self._waits.closed:
                raise errors.CancelledError(None, None, _CLOSED)


def _given(element: Element | None, error: Exception | None) -> Element | None:
    """An element, or the error that came in its place."""
    if error is not None:
        raise error
    return element


class _Room:
    """Signals that the thread may continue. The finalizer refers to this, so it holds no elements.

    They may lead to the session, and by it to the object whose end ends the thread.
    """

    def __init__(self) -> None:
        self.event = threading.Event()
        self.stopped = False

    def stop(self) -> None:
        self.stopped = True
        self.event.set()


class _Line:
    """State of the thread: it must not refer to the object whose end ends it."""

    def __init__(self, elements: Elements, capacity: int, waits: Waits) -> None:
        self._elements, self._capacity, self._waits = elements, capacity, waits
        self.lock = threading.Lock()
        self.items: deque[tuple[Element | None, Exception | None]] = deque()
        self.arrived, self.room = threading.Event(), _Room()
        self.ended = self._filling = False

    def fill(self) -> None:
        """Takes elements while there is room, in the thread."""
        with self.lock:
            if self._filling:
                return
            self._filling = True
        with np.errstate(all="ignore"):
            while not self.ended and self._may_go_on():
                item: tuple[Element | None, Exception | None]
                try:
                    item = self._elements.next(), None
                except Exception as error:  # noqa: BLE001 - raised when it is this element's turn
                    item = None, error
                with self.lock:
                    if item[0] is None and item[1] is None:
                        self.ended = True
                    else:
                        self.items.append(item)
                    self.arrived.set()

    def _may_go_on(self) -> bool:
        """Waits for room; False where nothing more is wanted."""
        while True:
            with self.lock:
                self.room.event.clear()
                if self.room.stopped or self._waits.closed:
                    return False
                if len(self.items) < self._capacity:
                    return True
            self._waits.wait(self.room.event)
