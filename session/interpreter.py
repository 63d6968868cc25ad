"""Running a plan step by step: the only place where a step runs that is not compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ..graph.describe import run_error
from ..runtime import errors
from .plan import Array, Plan, Step

if TYPE_CHECKING:
    Watch = Callable[[Step, Sequence[Any]], None]


class FlatStep(NamedTuple):
    """A step over registers; `target` is the only one that it writes, or a tuple of several.

    `freed` are the registers that are not read after it.
    """

    step: Step
    run: Callable[..., Any]
    read: Callable[[list[Any]], Sequence[Any]]
    target: int | tuple[int, ...]
    freed: tuple[int, ...]


def interpret(steps: Iterable[FlatStep], registers: list[Any], watch: Watch | None = None) -> None:
    """Runs steps, one after the other.

    Args:
        steps: what to run.
        registers: what the steps read and write.
        watch: called after each step with it and its results, which it may not keep.

    Raises:
        OpError: a kernel or the watch failed; the error names the op and its inputs.
    """
    for step, run, read, target, freed in steps:
        try:
            result = run(*read(registers))
            if isinstance(target, int):
                registers[target] = result
            else:
                for register, item in zip(target, result or (), strict=True):
                    registers[register] = item
            if watch is not None:
                watch(step, (result,) if isinstance(target, int) else result or ())
        except Exception as error:
            raise with_op_context(error, step, read(registers)) from error
        for register in freed:
            registers[register] = None


def with_op_context(error: Exception, step: Step, arrays: Sequence[Any]) -> errors.OpError:
    """Adds the failed op to an error, unless a fused step has done so."""
    if isinstance(error, errors.OpError) and error.op is not None:
        return error
    return run_error(error, step.op, arrays)


def stop(steps: list[FlatStep]) -> None:
    """Has every run that is going through a list of steps fail before the next one.

    The list is changed in place, so that a run need not look whether its session is open.
    """
    steps[:] = [step._replace(run=raise_closed) for step in steps]


def raise_closed(*_: Any) -> NoReturn:
    """Takes the place of kernels when a session is closed.

    Raises:
        CancelledError: always.
    """
    raise errors.CancelledError(None, None, "the session was closed")


def over_slots(step: Step) -> FlatStep:
    """The step with the slots themselves for registers, none of which it frees."""
    target = step.outputs[0] if len(step.outputs) == 1 else step.outputs
    return FlatStep(step, step.run, _reader(step.inputs), target, ())


class FlatProgram:
    """A plan for `interpret`.

    Each slot has a register. A slot that is read for the last time leaves its register to the
    result of the same step, so that most registers need not be cleared.
    """

    def __init__(self, plan: Plan) -> None:
        registers = _Registers(plan)
        self._feeds = plan.feeds
        self._steps = [registers.flattened(step) for step in plan.steps]
        self._fetched = [None if slot < 0 else registers.of(slot) for slot in plan.fetched]
        self._template: list[Any] = [None] * registers.number
        for slot, array in plan.constants.items():
            self._template[registers.of(slot)] = array

    def run(self, feeds: Sequence[Array], watch: Watch | None = None) -> Sequence[Any]:
        """The values of the plan's fetches.

        Raises:
            OpError: a kernel failed; the error names the op and its inputs.
        """
        values = self._template[:]
        values[: self._feeds] = feeds
        interpret(self._steps, values, watch)
        return [None if register is None else values[register] for register in self._fetched]

    def stop(self) -> None:
        """Has runs that are under way fail before their next step."""
        stop(self._steps)


class _Registers:
    """Gives the slots of a plan their registers, step by step.

    Feeds come first, then constants. Slot -1 has a register, too, which takes unused results.
    """

    def __init__(self, plan: Plan) -> None:
        lasting = [*range(plan.feeds), *plan.constants, -1]
        self._registers = {slot: register for register, slot in enumerate(lasting)}
        self._free: list[int] = []
        self.number = len(lasting)

    def of(self, slot: int) -> int:
        """The register of a slot; a free one if it has none yet."""
        register = self._registers.get(slot)
        if register is None:
            if self._free:
                register = self._free.pop()
            else:
                register = self.number
                self.number += 1
            self._registers[slot] = register
        return register

    def flattened(self, step: Step) -> FlatStep:
        """The step over registers; to be asked for in the order of the plan."""
        inputs = [self.of(slot) for slot in step.inputs]
        written = step.outputs
        freed = [self._released(slot) for slot in step.dead if slot not in written]
        outputs = tuple([self.of(slot) for slot in written])
        freed = [register for register in freed if register not in outputs]
        freed += [self._released(slot) for slot in step.dead if slot in written]
        target = outputs[0] if len(outputs) == 1 else outputs
        return FlatStep(step, step.run, _reader(inputs), target, tuple(freed))

    def _released(self, slot: int) -> int:
        register = self._registers.pop(slot)
        self._free.append(register)
        return register


def _reader(registers: Sequence[int]) -> Callable[[list[Any]], Sequence[Any]]:
    """The function that picks some registers; `itemgetter` gives no sequence for fewer than two."""
    if len(registers) < 2:
        start = registers[0] if registers else 0
        return itemgetter(slice(start, start + len(registers)))
    return itemgetter(*registers)
