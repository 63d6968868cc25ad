"""Ownership of memory: the arrays that a step may write into, since nothing else refers to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..runtime.kernel_spec import Memory
from .plan import Step


class _Piece:
    """Memory that a step has made.

    `known` is set if there may be references outside the plan, `slots` are those in which it
    is seen now, `readers` which steps have read it.
    """

    __slots__ = ("known", "readers", "slots")

    def __init__(self, known: bool = False) -> None:
        self.known = known
        self.slots: set[int] = set()
        self.readers: set[int] = set()


def reusing_memory(steps: Sequence[Step], known: Iterable[int] = ()) -> list[Step]:
    """Makes steps write into memory without other references, where they can.

    Memory that is fed, constant or the state of a session is never written into, nor memory seen by
    a kernel that does not state where its results lie. Views of feeds and constants are read-only
    like these, so functions that write into an argument check whether it is writable.

    Args:
        steps: in the order in which they run, with their dead slots.
        known: slots that hold what others know as well, though it may not be read-only.
    """
    return Owners(known).reusing(steps)


class Owners:
    """Follows memory from step to step.

    Args:
        known: slots that hold what others know before the first step.
        own: slots whose memory has no other references before the first step.
    """

    def __init__(self, known: Iterable[int] = (), own: Iterable[int] = ()) -> None:
        self._outside = _Piece(known=True)
        self._pieces: dict[int, set[_Piece]] = {}
        for slot in known:
            self._put(slot, {self._outside})
        for slot in own:
            self._put(slot, {_Piece()})

    def reusing(self, steps: Sequence[Step]) -> list[Step]:
        """Steps that write in place where they may."""
        return [self._passed(i, step) for i, step in enumerate(steps)]

    def is_alone(self, slot: int) -> bool:
        """Returns whether a slot's memory has no other references after the steps."""
        pieces = self._pieces.get(slot, {self._outside})
        return all(not piece.known and piece.slots == {slot} for piece in pieces)

    def _passed(self, i: int, step: Step) -> Step:
        """Step `i`, writing in place where it may."""
        kernel = step.kernel
        read = self._seen(step.inputs)
        taken: set[_Piece] = set()
        if kernel.overwriting is not None:
            spare = [at for at, slot in enumerate(step.inputs) if self._is_spare(step, slot)]
            taken = self._seen([step.inputs[at] for at in spare])
            waits = frozenset().union(*[piece.readers for piece in taken])
            step = step._replace(run=kernel.overwriting(spare), waits=waits)
        for piece in read - {self._outside}:
            piece.readers.add(i)
            piece.known |= kernel.memory is Memory.UNKNOWN
        for slot in step.dead:
            self._drop(slot)
        for slot in step.outputs:
            if slot >= 0:
                self._drop(slot)
                if slot not in step.dead:
                    self._put(slot, self._made(kernel.memory, read, taken))
        return step

    def _seen(self, slots: Iterable[int]) -> set[_Piece]:
        """Memory of the slots, except for feeds and constants, which are read-only anyway."""
        return set().union(*[self._pieces.get(slot, ()) for slot in slots])

    def _is_spare(self, step: Step, slot: int) -> bool:
        """Returns whether the step is the last and only reader of the slot's memory."""
        if (slot not in step.dead and slot not in step.outputs) or step.inputs.count(slot) > 1:
            return False
        return self.is_alone(slot)

    def _made(self, memory: Memory, read: set[_Piece], taken: set[_Piece]) -> set[_Piece]:
        """Memory that a result may share."""
        if memory is Memory.UNKNOWN:
            return {self._outside}
        return {_Piece()} | (read if memory is Memory.VIEW else taken)

    def _put(self, slot: int, pieces: set[_Piece]) -> None:
        self._pieces[slot] = pieces
        for piece in pieces:
            piece.slots.add(slot)

    def _drop(self, slot: int) -> None:
        for piece in self._pieces.pop(slot, ()):
            piece.slots.discard(slot)
