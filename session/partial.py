"""Partial runs: one run in several calls, each of which feeds and fetches some of it."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from ..graph.dependencies import needed_ops
from ..graph.node import Operation, Tensor
from ..runtime import errors
from .errstate import quiet_way
from .executor import handed_out
from .interpreter import interpret, over_slots, raise_closed
from .named_sizes import NamedSizes
from .plan import Array, Plan


class PartialRun:
    """A run of `fetches` of which each call does as much as it is asked for.

    Args:
        plan: what computes `fetches` from `feeds`.
        fetches: all that will be fetched.
        feeds: all that will be fed.
        threads: how many may share the work of a step; 0 for as many as BLAS would take.
    """

    def __init__(
        self,
        plan: Plan,
        fetches: Sequence[Tensor | Operation],
        feeds: Sequence[Tensor],
        threads: int,
    ) -> None:
        self._plan = plan
        self._quietly = quiet_way(plan, threads)
        self._slots = dict(zip(fetches, plan.fetched, strict=True))
        self._feeds = {tensor: slot for slot, tensor in enumerate(feeds)}
        self._fed: dict[Tensor, tuple[int, ...]] = {}
        self._fetched: set[Tensor | Operation] = set()
        self._done: set[int] = set()
        self._values = plan.begun([None] * plan.feeds)
        self._lock = threading.Lock()
        self._stopped = False

    def stop(self) -> None:
        """Has a call that is under way, and later ones, fail with a CancelledError at a step."""
        self._stopped = True

    @property
    def finished(self) -> bool:
        """True if all fetches have been returned."""
        return len(self._fetched) == len(self._slots)

    def run(
        self, fetches: Sequence[Tensor | Operation], feeds: Mapping[Tensor, Array]
    ) -> list[Any]:
        """The values of some of the fetches, with some of the feeds in addition to earlier ones.

        Raises:
            InvalidArgumentError: something was not announced, was fetched or fed before, or is
                needed and was not fed.
            ValueError: sizes of one name are given different numbers.
        """
        with self._lock:
            for item in fetches:
                self._check(item, self._slots, self._fetched, "fetched")
            for tensor in feeds:
                self._check(tensor, self._feeds, self._fed, "fed")
            fed = self._fed | {tensor: array.shape for tensor, array in feeds.items()}
            NamedSizes([*fed]).check([*fed.values()])
            self._fed = fed
            for tensor, array in feeds.items():
                self._values[self._feeds[tensor]] = _kept(array)
            self._quietly(self._run_steps, fetches)
            self._fetched.update(fetches)
            results = [
                None if self._slots[item] < 0 else self._values[self._slots[item]]
                for item in fetches
            ]
            for result in results:
                if result is not None:
                    # Later calls may read it: the caller's is a copy.
                    result.flags.writeable = False
            self._release()
            return handed_out(results)

    def _check(self, item: Any, announced: Any, used: Any, what: str) -> None:
        if item not in announced:
            raise _refused(item, f"to be {what} was not specified in partial_run_setup.")
        if item in used:
            raise _refused(item, f"has already been {what}.")

    def _run_steps(self, fetches: Sequence[Tensor | Operation]) -> None:
        steps = self._plan.steps
        ops = set(needed_ops(fetches, tuple(self._feeds)))
        slots = {self._slots[item] for item in fetches} - {-1}
        chosen = []
        for i in reversed(range(len(steps))):
            step = steps[i]
            if i not in self._done and (step.op in ops or not slots.isdisjoint(step.outputs)):
                slots.update(step.inputs)
                chosen.append(i)
        for tensor, slot in self._feeds.items():
            if slot in slots and tensor not in self._fed:
                raise _refused(tensor, "is needed and has not been fed yet")
        for i in reversed(chosen):
            if self._stopped:
                raise_closed()
            interpret([over_slots(steps[i])], self._values)
            self._done.add(i)

    def _release(self) -> None:
        """Releases values that no later call can fetch."""
        wanted = {slot for item, slot in self._slots.items() if item not in self._fetched}
        wanted.update(
            slot
            for i, step in enumerate(self._plan.steps)
            if i not in self._done
            for slot in step.inputs
        )
        self._values = [
            value if slot in wanted else None for slot, value in enumerate(self._values)
        ]


def _kept(array: Array) -> Array:
    """Copy of a fed value, which the caller may change before the next call."""
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def _refused(item: Tensor | Operation, what: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, f"{item.name!r} {what}")
