"""Running a plan with steps that wait: independent steps keep running.

A step that waits for room in a queue, or for an element, may wait for what a later step of the same
run does. TensorFlow runs whatever is ready, so programs rely on that. Here steps run in the order
of the plan; only where one has to wait, a further thread carries the others on. One thread at a
time runs steps, that which holds the baton, so that a run is not in two places at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from threading import Event, RLock, Thread
from typing import TYPE_CHECKING, Any

from ..graph.dependencies import needed_ops
from ..graph.importing.function_bodies import bodies_of
from ..graph.node import Operation
from ..runtime import errors
from ..runtime.deadlines import deadline, ending_at
from ..runtime.interrupts import let_through
from ..runtime.load_budget import carried
from ..runtime.waiting import run_under_way
from .errstate import quietly_in_context
from .interpreter import interpret, over_slots, stop
from .plan import Array, Plan
from .tracing import TracedRun, watched_by

if TYPE_CHECKING:
    from .interpreter import FlatStep, Watch


class WaitingProgram:
    """A plan whose steps run in their order, but for those behind one that waits.

    Args:
        plan: the plan.
        before: for each step those that have to be done before it, as the bits of a number.
    """

    def __init__(self, plan: Plan, before: Sequence[int]) -> None:
        self._plan = plan
        self._steps = [over_slots(step) for step in plan.steps]
        self._before = before

    def run(self, feeds: Sequence[Array], watch: Watch | None = None) -> Sequence[Any]:
        """The values of the plan's fetches.

        Raises:
            OpError: a kernel failed; the error names the op and its inputs.
        """
        values = self._plan.begun(feeds)
        _Course(self._steps, self._before, values, watch).run()
        return self._plan.results(values)

    def stop(self) -> None:
        """Has runs that are under way fail before their next step."""
        stop(self._steps)


def waiting_program(plan: Plan) -> WaitingProgram | None:
    """The plan as a program; None where no step that changes state could go on while another waits.

    Args:
        plan: the plan.
    """
    waiting = [i for i, step in enumerate(plan.steps) if _may_wait(step.op, set())]
    if not waiting or waiting[0] == len(plan.steps) - 1:
        return None
    before = _steps_before(plan)
    for i in waiting:
        for j in range(i + 1, len(before)):
            if not before[j] >> i & 1 and not plan.steps[j].op.definition.pure:
                return WaitingProgram(plan, before)
    return None


def _may_wait(op: Operation, seen: set[int]) -> bool:
    """Returns whether an op, or one in its bodies that has not been visited, waits."""
    if op.definition.traits.waits:
        return True
    for body in bodies_of(op).values():
        if id(body) not in seen:
            seen.add(id(body))
            if any(_may_wait(inner, seen) for inner in body.needed()):
                return True
    return False


@dataclass(slots=True)
class _Slot:
    """Steps that use a slot, each set as the bits of a number.

    Attributes:
        is_read: whether any step of the plan reads it.
        awaited: those that the ops behind its readers wait for.
        writers: those that have to be done before its value is there.
        users: those that have used it so far, and those before them.
        readings: those that have read it as a variable.
    """

    is_read: bool = False
    awaited: int = 0
    writers: int = 0
    users: int = 0
    readings: int = 0


def _steps_before(plan: Plan) -> list[int]:
    """For each step those that have to be done before it, as the bits of a number.

    That follows from the graph, from what stands in for what in the plan, and from whose memory a
    step writes into. The reading of a variable, which is a step of the op that declares it, comes
    after the updates that the readers wait for.
    """
    first_steps: dict[Operation, int] = {}
    for i, step in enumerate(plan.steps):
        first_steps.setdefault(step.op, i)
    behind = _steps_behind(first_steps)
    slots: defaultdict[int, _Slot] = defaultdict(_Slot)
    for step in plan.steps:
        for number in step.inputs:
            slots[number].is_read = True
            slots[number].awaited |= behind[step.op]
    before: list[int] = []
    for i, step in enumerate(plan.steps):
        inputs = [slots[number] for number in step.inputs]
        outputs = [slots[number] for number in step.outputs if number >= 0]
        needed = behind[step.op]
        if first_steps[step.op] != i:
            for slot in outputs:
                needed |= slot.awaited & ((1 << i) - 1)
            if not any(slot.is_read for slot in outputs):  # fetched by itself: the final state
                for slot in inputs:
                    needed |= slot.users
            for slot in inputs:
                slot.readings |= 1 << i
        elif not step.op.definition.pure:
            for slot in inputs:
                needed |= slot.readings
        for slot in inputs:
            needed |= slot.writers
        for slot in outputs:
            needed |= slot.users
        for j in step.waits:
            needed |= before[j] | 1 << j
        before.append(needed)
        needed |= 1 << i
        for slot in (*inputs, *outputs):
            slot.users |= needed
        for slot in outputs:
            slot.writers = needed
    return before


def _steps_behind(first_steps: Mapping[Operation, int]) -> dict[Operation, int]:
    """For each op the first steps of the ops that it depends on, as the bits of a number."""
    behind: dict[Operation, int] = {}
    for op in needed_ops([*first_steps], []):
        behind[op] = 0
        for source in (*(tensor.op for tensor in op.inputs), *op.controls):
            behind[op] |= behind[source]
            if source in first_steps:
                behind[op] |= 1 << first_steps[source]
    return behind


class _Course:
    """One run of a plan with steps that wait.

    Args:
        steps: the steps, over the slots.
        before: for each of them those that have to be done before it.
        values: what is in the slots.
        watch: is notified of each step.
    """

    def __init__(
        self,
        steps: Sequence[FlatStep],
        before: Sequence[int],
        values: list[Any],
        watch: Watch | None,
    ) -> None:
        self._steps = steps
        self._before = before
        self._values = values
        self._watch = watch
        # Held while a thread runs steps or looks for the next one. It knows its owner: an interrupt
        # may come between its release and what follows.
        self._baton = RLock()
        self._open = list(range(len(steps)))
        self._done = 0
        self._threads: list[Thread] = []
        self._waiting: list[Event] = []
        self._failure: BaseException | None = None

    def run(self) -> None:
        """Runs all steps, or those until one fails."""
        with self._baton:
            self._go_on()
            while self._threads:
                thread = self._threads.pop()
                try:
                    self._baton.release()
                    with let_through():
                        thread.join()
                except BaseException as error:  # noqa: BLE001 - raised when all have ended
                    self._threads.append(thread)
                    failure: BaseException | None = error
                else:
                    failure = None
                finally:
                    if not self._baton._is_owned():  # type: ignore[attr-defined]
                        self._baton.acquire()
                self._end(failure)
                self._go_on()
        if self._failure is not None:
            raise self._failure

    @contextmanager
    def meanwhile(self, event: Event) -> Iterator[None]:
        """While a step waits for an event, others run.

        Raises:
            CancelledError: one of them has failed.
        """
        self._waiting.append(event)
        if self._next() is not None:
            context, watch = copy_context(), self._watch
            thread = Thread(
                target=context.run,
                args=(quietly_in_context, carried(self._carry_on), deadline.ends, watch),
                name="steps beside one that waits",
                daemon=True,
            )
            thread.start()
            self._threads.append(thread)
        try:
            self._baton.release()
            yield
        finally:
            if not self._baton._is_owned():  # type: ignore[attr-defined]
                self._baton.acquire()
            self._waiting.remove(event)
        if self._failure is not None:
            raise errors.CancelledError(None, None, "another op of the run has failed")

    def _carry_on(self, ends: float | None, watch: Watch | None) -> None:
        with ExitStack() as around, self._baton:
            around.enter_context(ending_at(ends))
            if isinstance(watch, TracedRun):
                around.enter_context(watched_by(watch))
            self._go_on()

    def _go_on(self) -> None:
        """Runs what can run, in order."""
        with run_under_way(self):
            while (i := self._next()) is not None:
                self._open.remove(i)
                try:
                    interpret([self._steps[i]], self._values, self._watch)
                except BaseException as error:  # noqa: BLE001 - raised when all have ended
                    self._end(error)
                self._done |= 1 << i

    def _next(self) -> int | None:
        """First runnable step that has not begun."""
        if self._failure is not None:
            return None
        return next((i for i in self._open if not self._before[i] & ~self._done), None)

    def _end(self, error: BaseException | None) -> None:
        """Records an error: no further step begins, and all waiters wake."""
        if error is not None and self._failure is None:
            self._failure = error
        if self._failure is not None:
            for event in self._waiting:
                event.set()
