"""Cost and live memory of each op of a plan, bodies included."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from functools import partial
from typing import NamedTuple

from ..ops.control_flow.structured import rounds_of
from ..session.loop_plan import LoopPlan
from ..session.plan import Plan, Step
from ..shape_inference.costs import bytes_of, flops_of
from ..shape_inference.inference import Inference
from ..shape_inference.symbolic.formulas import Formula
from ..shape_inference.symbolic.symbolic import Dim, dim_symbol
from ..shape_inference.workspaces import Workspace, workspace_of
from .live_memory import LiveMemory, Moment, is_view

_ZERO = Formula.of(0)


class StepCost(NamedTuple):
    """Cost of a step.

    Args:
        name: the op; of one in a body, behind the name of the op that has the body.
        type: the type of the op.
        flops: operations on numbers.
        read: bytes of what it reads; nothing where the result is a view.
        written: bytes of what it makes.
        live: bytes that are alive meanwhile.
        workspace: returns, given the numbers of named sizes, the kernel's workspace.
        counted: whether there is a rule for the operations.
        products: whether these are those of products of matrices.
    """

    name: str
    type: str
    flops: Formula
    read: Formula
    written: Formula
    live: Formula
    workspace: Callable[[Mapping[str, int]], Workspace]
    counted: bool = True
    products: bool = False


class PlanCost(NamedTuple):
    """Cost of a plan: of each step, and in total."""

    steps: list[StepCost]
    flops: Formula
    read: Formula
    written: Formula
    peak: Formula


def plan_cost(plan: Plan, base: Formula, prefix: str = "") -> PlanCost:
    """Computes the cost of a plan.

    Args:
        plan: the plan.
        base: the bytes that are alive all the time.
        prefix: what stands before the names of the ops.
    """
    memory = LiveMemory(plan.steps, plan.inference, base)
    costs = [
        _step_cost(step, plan.inference, plan.constants, moment, prefix)
        for step, moment in zip(plan.steps, memory.moments, strict=True)
    ]
    return _summed(costs)


def _summed(costs: Iterable[PlanCost]) -> PlanCost:
    costs = list(costs)
    return PlanCost(
        [step for cost in costs for step in cost.steps],
        sum((cost.flops for cost in costs), _ZERO),
        sum((cost.read for cost in costs), _ZERO),
        sum((cost.written for cost in costs), _ZERO),
        Formula.greatest([cost.peak for cost in costs] or [_ZERO]),
    )


def _step_cost(
    step: Step, inference: Inference, constants: Container[int], moment: Moment, prefix: str
) -> PlanCost:
    op, live = step.op, moment.live
    if step.kernel.bodies:
        return _bodies_cost(step, inference, live, prefix)
    flops = flops_of(op, inference)
    read = written = _ZERO
    if not is_view(op):
        read = sum((bytes_of(edge, inference.shape(edge)) for edge in op.inputs), _ZERO)
        written = sum((bytes_of(edge, inference.shape(edge)) for edge in op.outputs), _ZERO)
    numbers = any(edge.dtype.is_floating or edge.dtype.is_complex for edge in op.outputs)
    counted = flops is not None or not numbers
    fixed = {x for x, slot in zip(op.inputs, step.inputs, strict=False) if slot in constants}
    workspace = partial(workspace_of, op, inference, fixed)
    products = op.definition.traits.products
    cost = StepCost(
        prefix + op.name, op.type, flops or _ZERO, read, written, live, workspace, counted, products
    )
    return PlanCost([cost], cost.flops, read, written, live)


def _bodies_cost(step: Step, inference: Inference, live: Formula, prefix: str) -> PlanCost:
    """Cost of an op's bodies: all iterations of a loop, the costliest branch of a conditional."""
    inner = f"{prefix}{step.op.name}/"
    rounds = rounds_of(step.op, inference)
    costs = [
        _loop_cost(run.plan, live, inner, rounds)
        if isinstance(run.plan, LoopPlan)
        else plan_cost(run.plan, live, inner)
        for run in step.kernel.bodies.values()
    ]
    return PlanCost(
        [each for cost in costs for each in cost.steps],
        Formula.greatest([cost.flops for cost in costs]),
        Formula.greatest([cost.read for cost in costs]),
        Formula.greatest([cost.written for cost in costs]),
        Formula.greatest([cost.peak for cost in costs]),
    )


def _loop_cost(plan: LoopPlan, live: Formula, prefix: str, rounds: Dim | None) -> PlanCost:
    """Cost of a loop; an unknown number of iterations becomes a named size."""
    if rounds is None:
        rounds = dim_symbol(f"{prefix.rstrip('/').removesuffix('/While').replace('/', '_')}_rounds")
    costs = []
    for steps, inference in zip(plan.first, plan.inferences, strict=True):
        memory = LiveMemory(steps, inference, live)
        costs += [
            _times(
                _step_cost(step, inference, plan.constants, moment, prefix),
                1 if plan.is_once(step) else rounds,
            )
            for step, moment in zip(steps, memory.moments, strict=True)
        ]
    return _summed(costs)


def _times(cost: PlanCost, times: object) -> PlanCost:
    def scaled(formula: Formula) -> Formula:
        return formula * times  # type: ignore[operator]

    steps = [
        step._replace(
            flops=scaled(step.flops), read=scaled(step.read), written=scaled(step.written)
        )
        for step in cost.steps
    ]
    return PlanCost(steps, scaled(cost.flops), scaled(cost.read), scaled(cost.written), cost.peak)
