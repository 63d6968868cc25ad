"""The plan of a run: constants, and steps that read and write numbered slots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..graph.node import Operation
from ..runtime.kernel_spec import KernelSpec, Loop
from ..shape_inference.inference import Inference
from .passes.draft import Acceleration

Array = np.ndarray[Any, Any]


class Step(NamedTuple):
    """One op of a plan.

    Attributes:
        op: the op.
        kernel: what computes it.
        run: the function of the kernel that is called.
        inputs: the slots that it reads.
        outputs: the slots that it writes; -1 for an unused result.
        dead: the slots that are not read after this step.
        waits: the steps, by number, that have to be done before, beside those that write inputs:
            they read memory that `run` writes into.
        parts: the steps that were fused.
        folded: further ops that it does, since its filters or windows were changed for that, and
            how, as shown by `explain`.
        acceleration: where there is a loop for it that machine code may do.
        obstacle: for a fused step, the reason why machine code does not run it; None if it does.
    """

    op: Operation
    kernel: KernelSpec
    run: Callable[..., Any]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    dead: tuple[int, ...] = ()
    waits: frozenset[int] = frozenset()
    parts: tuple[Step, ...] = ()
    folded: tuple[str, ...] = ()
    acceleration: Acceleration | None = None
    obstacle: Callable[[], str | None] | None = None

    def releasing(self, dead: tuple[int, ...]) -> Step:
        """The step with other dead slots: quicker than `_replace`, which plans notice."""
        return self if dead == self.dead else Step._make((*self[:5], dead, *self[6:]))


class Plan(NamedTuple):
    """A run: constants, then steps, then the slots to return (-1 for an op).

    Slots are numbered from 0; the first `feeds` of them hold what is fed. `inference` knows the
    static shapes of what the steps make.
    """

    feeds: int
    constants: dict[int, Array]
    steps: list[Step]
    fetched: tuple[int, ...]
    slots: int
    inference: Inference

    @property
    def lasting(self) -> set[int]:
        """Slots that are never freed: feeds, constants and fetches."""
        return {-1, *self.fetched, *self.constants, *range(self.feeds)}

    def begun(self, feeds: Sequence[Array | None]) -> list[Any]:
        """Contents of the slots before the first step, and one more for slot -1."""
        values: list[Any] = [None] * (self.slots + 1)
        for slot, array in self.constants.items():
            values[slot] = array
        values[: self.feeds] = feeds
        return values

    def results(self, values: Sequence[Any]) -> list[Any]:
        """Results, taken from the slots after the last step."""
        return [None if slot < 0 else values[slot] for slot in self.fetched]


def with_dead_slots(steps: Sequence[Step], lasting: Iterable[int]) -> list[Step]:
    """The steps, each with the slots that are read for the last time in it."""
    needed = set(lasting)
    result = []
    for step in reversed(steps):
        dead = []
        for slot in (*step.inputs, *step.outputs):
            if slot not in needed:
                needed.add(slot)
                dead.append(slot)
        result.append(step.releasing(tuple(dead)))
    result.reverse()
    return result


def awaited_loops(steps: Iterable[Step]) -> list[Loop]:
    """The loops of steps that machine code would do, if there were any for this plan."""
    found = [step.acceleration for step in steps if step.acceleration is not None]
    return [acceleration.loop for acceleration in found if not acceleration.used]
