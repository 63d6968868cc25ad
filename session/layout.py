"""Work laid out in slots: the last thing that happens to a draft."""

from __future__ import annotations

from collections.abc import Iterable

from ..graph.node import Tensor
from .ownership import reusing_memory
from .passes.draft import Constant, Draft, Source, Work
from .passes.size_limits import with_limit
from .plan import Array, Plan, Step, with_dead_slots


def without_waste(draft: Draft) -> None:
    """Pass that drops superfluous work; awaited work stays."""
    awaited = draft.awaited
    read: set[Source | None] = set(draft.wanted)
    used: list[Work] = []
    for item in reversed(draft.work):
        op = item.op
        lasting = (not op.definition.pure or op in awaited) and item.outputs is op.outputs
        if lasting or not read.isdisjoint(item.outputs):
            read.update(item.inputs)
            used.append(item)
    used.reverse()
    draft.work = used


def laid_out(draft: Draft) -> Plan:
    """Plan of a draft, without the slots that die with each step."""
    slots = _Slots(draft.feeds)
    wanted = draft.wanted
    fetched = tuple([-1 if source is None else slots.of(source) for source in wanted])
    read = {source for item in draft.work for source in item.inputs}
    read.update(source for source in wanted if source is not None)
    read -= draft.fed
    steps = []
    slot_of = slots.of
    for op, own_kernel, inputs, made, folded, acceleration in draft.work:
        kernel = with_limit(op, own_kernel, draft.inference)
        if op.definition.traits.aliases is None:
            outputs = [slot_of(source) if source in read else -1 for source in made]
        else:  # an update in place writes to the slot of what it updates
            outputs = [slot_of(draft.substitutes.of(source)) for source in made]
        steps.append(
            Step(
                op,
                kernel,
                kernel.call,
                tuple([slot_of(item) for item in inputs]),
                tuple(outputs),
                folded=folded,
                acceleration=acceleration,
            )
        )
    return Plan(len(draft.feeds), slots.constants, steps, fetched, len(slots), draft.inference)


def freeing_memory(plan: Plan, known: Iterable[int] = ()) -> Plan:
    """The plan with steps that release values after their last use, or write into them.

    Args:
        plan: the plan.
        known: slots that hold what others know as well, though it may not be read-only.
    """
    return plan._replace(steps=reusing_memory(with_dead_slots(plan.steps, plan.lasting), known))


class _Slots:
    """Assigns slot numbers in order of first use."""

    def __init__(self, feeds: Iterable[Tensor]) -> None:
        self._numbers: dict[Source, int] = {tensor: i for i, tensor in enumerate(feeds)}
        self.constants: dict[int, Array] = {}

    def of(self, source: Source) -> int:
        """The slot of a tensor or constant."""
        slot = self._numbers.get(source)
        if slot is None:
            slot = self._numbers[source] = len(self._numbers)
            if isinstance(source, Constant):
                self.constants[slot] = source.array
        return slot

    def __len__(self) -> int:
        return len(self._numbers)
