"""Executing a plan: step by step at first, as one straight-line function once it is hot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..graph.describe import run_error
from .plan import Plan, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..graph.node import Operation

Array = np.ndarray[Any, Any]

_RUNS_UNTIL_HOT = 3
_MOST_LOWERED_STEPS = 4000
_SOURCE_NAME = "<tensordraft plan>"


class Executor:
    """Runs one plan, any number of times, from any number of threads.

    A plan first runs as a list of steps. When it has run a few times it is lowered to one Python
    function, whose source consists of nothing but numbered kernels and slots.
    """

    def __init__(self, plan: Plan, feeds: int) -> None:
        self._plan = plan
        self._feeds = feeds
        self._runs = 0
        self._template: list[Any] = [None] * plan.slots
        for slot, array in plan.constants.items():
            self._template[slot] = array
        self._lowered: Callable[..., tuple[Any, ...]] | None = None

    def run(self, feeds: Sequence[Array]) -> list[Any]:
        """The values of the plan's fetches, each the caller's own; None for an operation.

        Args:
            feeds: an array for each tensor that is fed; read-only.

        Raises:
            OpError: a kernel failed; the error names the op, where it was made, and its inputs.
        """
        lowered = self._lowered
        with np.errstate(all="ignore"):
            values = (
                self._step_by_step(feeds) if lowered is None else self._straight(lowered, feeds)
            )
        return handed_out(values)

    def _step_by_step(self, feeds: Sequence[Array]) -> Sequence[Any]:
        values = self._template[:]
        values[: self._feeds] = feeds
        step: Step | None = None
        try:
            for step in self._plan.steps:
                _, kernel, inputs, outputs, dead = step
                result = kernel(*[values[slot] for slot in inputs])
                if len(outputs) == 1:
                    values[outputs[0]] = result
                else:
                    for slot, item in zip(outputs, result or (), strict=True):
                        values[slot] = item
                for slot in dead:
                    values[slot] = None
        except Exception as error:
            if step is None:
                raise
            arrays = [values[slot] for slot in step.inputs]
            raise run_error(error, step.op, arrays) from error
        self._runs += 1
        if self._runs == _RUNS_UNTIL_HOT and len(self._plan.steps) <= _MOST_LOWERED_STEPS:
            self._lowered = lower(self._plan, self._feeds)
        return [None if slot < 0 else values[slot] for slot in self._plan.fetched]

    def _straight(
        self, lowered: Callable[..., tuple[Any, ...]], feeds: Sequence[Array]
    ) -> Sequence[Any]:
        try:
            return lowered(*feeds)
        except Exception as error:
            op, arrays = self._failed(error)
            raise run_error(error, op, arrays) from error

    def _failed(self, error: BaseException) -> tuple[Operation, list[Any]]:
        """The step of the lowered function that raised: one line each, under its `def`."""
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != _SOURCE_NAME:
            trace = trace.tb_next
        if trace is None:
            raise error
        step = self._plan.steps[trace.tb_lineno - 2]
        local = trace.tb_frame.f_locals
        arrays = [
            self._template[slot] if slot in self._plan.constants else local.get(f"v{slot}")
            for slot in step.inputs
        ]
        return step.op, arrays


def lower(plan: Plan, feeds: int) -> Callable[..., tuple[Any, ...]]:
    """The plan as a Python function of the feeds: one line for each step.

    Kernels and constants are globals `k0`, `c7`; slots are locals `v7`.
    """
    scope: dict[str, Any] = {f"k{i}": step.kernel for i, step in enumerate(plan.steps)}
    scope.update({f"c{slot}": array for slot, array in plan.constants.items()})

    def name(slot: int) -> str:
        return "None" if slot < 0 else f"{'c' if slot in plan.constants else 'v'}{slot}"

    lines = [f"def run({', '.join(f'v{slot}' for slot in range(feeds))}):"]
    for i, step in enumerate(plan.steps):
        call = f"k{i}({', '.join(map(name, step.inputs))})"
        targets = ", ".join("_" if slot < 0 else f"v{slot}" for slot in step.outputs)
        line = f"{targets}{' =' if len(step.outputs) == 1 else ', ='} {call}" if targets else call
        lines.append(f" {line}{''.join(f'; v{slot} = None' for slot in step.dead)}")
    lines.append(f" return ({''.join(f'{name(slot)}, ' for slot in plan.fetched)})")
    source = "\n".join(lines)
    exec(compile(source, _SOURCE_NAME, "exec"), scope)  # noqa: S102 - numbered names only
    return scope["run"]  # type: ignore[no-any-return]


def handed_out(values: Sequence[Any]) -> list[Any]:
    """The values as the caller's own: writable, and sharing no memory with anything.

    Feeds, constants and the state of a session are read-only, and so is every view of them; so
    what is writable is the run's own, unless two results share it.
    """
    results: list[Any] = []
    owners: set[int] = set()
    for value in values:
        if value is None:
            results.append(None)
            continue
        if value.ndim == 0:
            results.append(value[()])
            continue
        owner = id(value if value.base is None else value.base)
        if not value.flags.writeable or owner in owners:
            value = value.copy()
        else:
            owners.add(owner)
        results.append(value)
    return results
