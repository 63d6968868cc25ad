"""Plans as Python: straight lines, one for each step, over local variables.

The source consists of numbered names only; nothing from a graph is part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from functools import lru_cache, partial
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from .interpreter import raise_closed
from .plan import Array, Plan, Step

PLAN = "<tensordraft plan>"
# The compiler takes more than twice as long for a function of twice the length.
_MOST_STEPS_OF_A_FUNCTION = 1_000
_SHORT_SOURCE = 4_000


class Lowered(NamedTuple):
    """A plan with its Python function from feeds to fetches.

    `stop` has every call that is under way fail before its next step.
    """

    plan: Plan
    function: Callable[..., Sequence[Any]]
    stop: Callable[[], None]

    def failed_step(self, error: BaseException) -> tuple[Step, Sequence[Any]] | None:
        """The step that raised `error`, with its inputs; None if none did."""
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != PLAN:
            trace = trace.tb_next
        if trace is None:
            return None
        constants = self.plan.constants
        step = self.plan.steps[trace.tb_lineno - 2]
        values = trace.tb_frame.f_locals
        return step, [
            constants[slot] if slot in constants else values.get(f"v{slot}") for slot in step.inputs
        ]


def lower(plan: Plan) -> Lowered:
    """The plan as one Python function, or as a chain of them where it is long.

    Kernels and constants are globals `k0`, `c7`, slots are locals `v7`; step number i stands in
    line i + 2. Nothing else, and nothing from a graph, is part of the source.
    """
    code = _Code(plan)
    if len(plan.steps) <= _MOST_STEPS_OF_A_FUNCTION:
        return Lowered(plan, code.whole(), code.stop)
    parts = list(code.parts())
    others = plan.begun([None] * plan.feeds)[plan.feeds :]  # constants may be fetched

    def run(*feeds: Array) -> Sequence[Any]:
        values = [*feeds, *others]
        for part in parts:
            part(values)
        return plan.results(values)

    return Lowered(plan, run, code.stop)


def compiled(
    parameters: str, lines: Sequence[str], scope: dict[str, Any], source_name: str
) -> FunctionType:
    """The function `run(parameters)` with these lines, over the globals `scope`."""
    scope["__name__"] = __name__  # frames of the package are recognized by their module
    source = "\n ".join([f"def run({parameters}):", *lines])
    code = _code if len(source) < _SHORT_SOURCE else _code.__wrapped__
    exec(code(source, source_name), scope)  # noqa: S102 - numbered names only
    return scope["run"]


@lru_cache(maxsize=256)
def _code(source: str, source_name: str) -> CodeType:
    """The code of a source; short ones, such as those of calls, come again and again."""
    return compile(source, source_name, "exec")


def stop_calls(scope: dict[str, Any]) -> None:
    """Has calls of functions over the globals `scope` fail before the next step.

    A call looks each kernel up when it comes to it, so that it need not look for anything else.
    """
    kernels = [name for name in scope if name[0] == "k"]
    scope.update(dict.fromkeys(kernels, raise_closed))


def step_line(kernel: str, step: Step, constants: Container[int]) -> str:
    """Statements of a step: a call of its kernel, and the release of dead slots."""
    call = f"{kernel}({', '.join([slot_name(slot, constants) for slot in step.inputs])})"
    targets = ", ".join(["_" if slot < 0 else f"v{slot}" for slot in step.outputs])
    assignment = {0: "", 1: f"{targets} = "}.get(len(step.outputs), f"{targets}, = ")
    return f"{assignment}{call}" + "".join([f"; v{slot} = None" for slot in step.dead])


def slot_name(slot: int, constants: Container[int]) -> str:
    """Variable name of a slot: `c7` for a constant, `v7` otherwise."""
    return "None" if slot < 0 else f"{'c' if slot in constants else 'v'}{slot}"


class _Code:
    """The source of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._lines = [
            step_line(f"k{i}", step, plan.constants) for i, step in enumerate(plan.steps)
        ]
        self._scope: dict[str, Any] = {f"k{i}": step.run for i, step in enumerate(plan.steps)}
        self._scope.update({f"c{slot}": array for slot, array in plan.constants.items()})
        self.stop = partial(stop_calls, self._scope)

    def whole(self) -> Callable[..., Sequence[Any]]:
        """All steps, as a function of the feeds."""
        feeds = ", ".join([f"v{slot}" for slot in range(self._plan.feeds)])
        constants = self._plan.constants
        results = "".join([f"{slot_name(slot, constants)}, " for slot in self._plan.fetched])
        return self._function(feeds, [*self._lines, f"return ({results})"], 0)

    def parts(self) -> Iterator[Callable[[list[Any]], None]]:
        """The steps in parts: functions of the list of slot contents."""
        length = _MOST_STEPS_OF_A_FUNCTION
        for start in range(0, len(self._lines), length):
            steps = self._plan.steps[start : start + length]
            lines = self._lines[start : start + length]
            taken, given = self._exchanged(steps)
            # Values that die in the part are taken out of the list, so that they are freed there.
            lines[0] = "".join([*taken, lines[0]])
            yield self._function("values", [*lines, *given], start)

    def _exchanged(self, steps: Sequence[Step]) -> tuple[list[str], list[str]]:
        """Statements that load the slots that the steps read, and store those that they leave."""
        dead = {slot for step in steps for slot in step.dead}
        taken: dict[int, str] = {}
        made: dict[int, str] = {}
        for step in steps:
            for slot in step.inputs:
                if slot not in made and slot not in self._plan.constants:
                    drop = f"values[{slot}] = None; " if slot in dead else ""
                    taken[slot] = f"v{slot} = values[{slot}]; {drop}"
            made.update({slot: f"values[{slot}] = v{slot}" for slot in step.outputs if slot >= 0})
        return list(taken.values()), [line for slot, line in made.items() if slot not in dead]

    def _function(self, parameters: str, lines: Sequence[str], start: int) -> FunctionType:
        """A function whose first line of code is that of step number `start`."""
        function = compiled(parameters, lines, self._scope, PLAN)
        function.__code__ = function.__code__.replace(co_firstlineno=start + 1)
        return function
