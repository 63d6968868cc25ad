"""The plan of a run: constants, and steps that read and write numbered slots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..graph.node import Operation

Array = np.ndarray[Any, Any]


class Step(NamedTuple):
    """One op of a plan.

    `inputs` and `outputs` are slots; a result that nobody reads has the slot -1. `dead` are the
    slots that nobody reads after this step.
    """

    op: Operation
    kernel: Callable[..., Any]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    dead: tuple[int, ...] = ()


class Plan(NamedTuple):
    """What a run does: constants, then steps, then the slots to hand out (-1 for an op).

    Slots are numbered from 0; the first `feeds` of them hold what is fed.
    """

    feeds: int
    constants: dict[int, Array]
    steps: list[Step]
    fetched: tuple[int, ...]
    slots: int

    @property
    def lasting(self) -> set[int]:
        """The slots that are never freed: what is fed, constant or fetched."""
        return {-1, *self.fetched, *self.constants, *range(self.feeds)}

    def __str__(self) -> str:
        lines = [
            f"s{slot} = constant {array.dtype}{list(array.shape)}"
            for slot, array in self.constants.items()
        ]
        for step in self.steps:
            results = ", ".join("_" if slot < 0 else f"s{slot}" for slot in step.outputs)
            arguments = ", ".join(f"s{slot}" for slot in step.inputs)
            given = f" of {arguments}" if arguments else ""
            lines.append(f"{results or '_'} = {step.op.name} ({step.op.type}){given}")
        wanted = ", ".join("_" if slot < 0 else f"s{slot}" for slot in self.fetched)
        return "\n".join([*lines, f"fetch {wanted}"])


def with_dead_slots(steps: Sequence[Step], lasting: Iterable[int]) -> list[Step]:
    """The steps, each with the slots that are read for the last time in it."""
    needed = set(lasting)
    result = []
    for step in reversed(steps):
        dead = [slot for slot in dict.fromkeys((*step.inputs, *step.outputs)) if slot not in needed]
        needed.update(dead)
        result.append(step._replace(dead=tuple(dead)))
    result.reverse()
    return result
