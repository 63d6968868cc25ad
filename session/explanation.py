"""Plans as text: a line for each step, and below it the plans of the bodies that it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..acceleration.accelerator import accelerator
from .loop_plan import LoopPlan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .drafts.draft import Acceleration
    from .plan import Array, Plan, Step

_INDENT = "  "


def explained(plan: Plan) -> str:
    """What a plan does."""
    return "\n".join(_lines(plan, frozenset()))


def _lines(plan: Plan | LoopPlan, around: frozenset[str]) -> Iterator[str]:
    """The lines of a plan that is inside functions with the names `around`."""
    yield from _constants(plan.constants)
    if not isinstance(plan, LoopPlan):
        for step in plan.steps:
            yield from _step(step, around)
        yield f"fetch {_slots(plan.fetched)}"
        return
    yield "condition:"
    for step in plan.all.cond:
        yield from _in_round(plan, step, around)
    yield f"{_INDENT}while s{plan.test}"
    yield "body:"
    for step in plan.all.body:
        yield from _in_round(plan, step, around)
    results = [plan.results[i] for i in plan.changed]
    yield f"{_INDENT}{_slots(plan.changed)} = {_slots(results)}"


def _in_round(plan: LoopPlan, step: Step, around: frozenset[str]) -> Iterator[str]:
    first, *rest = _step(step, around)
    yield f"{_INDENT}{first}{', in the first round' if plan.is_once(step) else ''}"
    for line in rest:
        yield _INDENT + line


def _step(step: Step, around: frozenset[str]) -> Iterator[str]:
    given = f" of {_slots(step.inputs)}" if step.inputs else ""
    also = "".join([f", times {op.name} ({op.type})" for op in step.folded])
    also += "" if step.acceleration is None else f", {_by(step.acceleration)}"
    yield f"{_slots(step.outputs)} = {step.op.name} ({step.op.type}){given}{also}"
    for label, run in step.kernel.bodies.items():
        yield f"{_INDENT}{label} {run.name!r}:"
        if run.name in around:
            continue  # it calls itself
        for line in _lines(run.plan, around | {run.name}):
            yield _INDENT * 2 + line


def _by(acceleration: Acceleration) -> str:
    """Whether machine code does the work, and if not, why."""
    if acceleration.used:
        return "by machine code"
    why = accelerator.obstacle or accelerator.failure(acceleration.loop)
    return f"not by machine code: {why or 'it was not compiled when the plan was made'}"


def _constants(constants: Mapping[int, Array]) -> Iterator[str]:
    for slot, array in constants.items():
        yield f"s{slot} = constant {array.dtype}{list(array.shape)}"


def _slots(slots: Sequence[Any]) -> str:
    return ", ".join(["_" if slot < 0 else f"s{slot}" for slot in slots]) or "_"
