"""Lowering a plan to straight-line Python: one line a step, over local variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .plan import Plan, Step

SOURCE_NAME = "<tensordraft plan>"


def lower(plan: Plan) -> Callable[..., tuple[Any, ...]]:
    """The plan as a Python function of what is fed, which returns what is fetched.

    Kernels and constants are globals `k0`, `c7`, slots are locals `v7`; step number i stands in
    line i + 2. Nothing else, and nothing from a graph, is part of the source.
    """
    scope: dict[str, Any] = {f"k{i}": step.kernel for i, step in enumerate(plan.steps)}
    scope.update({f"c{slot}": array for slot, array in plan.constants.items()})

    def name(slot: int) -> str:
        return "None" if slot < 0 else f"{'c' if slot in plan.constants else 'v'}{slot}"

    lines = [f"def run({', '.join(f'v{slot}' for slot in range(plan.feeds))}):"]
    for i, step in enumerate(plan.steps):
        call = f"k{i}({', '.join(map(name, step.inputs))})"
        dropped = "".join(f"; v{slot} = None" for slot in step.dead)
        lines.append(f" {_assigned(step, call)}{dropped}")
    lines.append(f" return ({''.join(f'{name(slot)}, ' for slot in plan.fetched)})")
    exec(compile("\n".join(lines), SOURCE_NAME, "exec"), scope)  # noqa: S102 - numbered names only
    return scope["run"]  # type: ignore[no-any-return]


def _assigned(step: Step, call: str) -> str:
    if not step.outputs:
        return call
    targets = ", ".join("_" if slot < 0 else f"v{slot}" for slot in step.outputs)
    return f"{targets}{' =' if len(step.outputs) == 1 else ', ='} {call}"


def failed_step(error: BaseException, plan: Plan) -> tuple[Step, Sequence[Any]] | None:
    """The step of a lowered plan that raised `error`, with its inputs; None if none did."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != SOURCE_NAME:
        trace = trace.tb_next
    if trace is None:
        return None
    step = plan.steps[trace.tb_lineno - 2]
    values = trace.tb_frame.f_locals
    return step, [
        plan.constants[slot] if slot in plan.constants else values.get(f"v{slot}")
        for slot in step.inputs
    ]
