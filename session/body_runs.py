"""Running the bodies of ops such as `While`: each is a plan of its own, made when first run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import errors
from .compiler import Lowered, lower
from .interpreter import FlatProgram, told

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .plan import Array, Plan

_CALLS_UNTIL_HOT = 4


class BodyRun:
    """Runs one body: step by step at first, as straight-line Python once it is hot.

    Attributes:
        run: the function of what is passed that returns the results, to be looked up at each call:
            it changes as the body gets hot. What it raises goes through `told`.
    """

    __slots__ = ("_calls", "_hot", "_make", "plan", "run")

    def __init__(self, make: Callable[[], Plan]) -> None:
        self._make = make
        self._calls = 0
        self._hot: Lowered | None = None
        self.plan: Plan | None = None
        self.run: Callable[..., Sequence[Any]] = self._first

    def _first(self, *inputs: Array) -> Sequence[Any]:
        self.plan = self._make()
        flat = FlatProgram(self.plan)

        def warming(*inputs: Array) -> Sequence[Any]:
            self._calls += 1
            if self._calls >= _CALLS_UNTIL_HOT and self.plan is not None:
                self._hot = lower(self.plan)
                self.run = self._hot.function
            return flat.run(inputs)

        self.run = warming
        return warming(*inputs)

    def told(self, error: Exception) -> Exception:
        """The error of a run, with the op that failed."""
        if isinstance(error, RecursionError):
            message = "functions call each other too deep: the run has no stack left"
            return errors.ResourceExhaustedError(None, None, message)
        failed = None if self._hot is None else self._hot.failed_step(error)
        return error if failed is None else told(error, *failed)
