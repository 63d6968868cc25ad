"""Live memory at each step of a plan, in bytes, as formulas of named sizes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..graph.node import Operation, Tensor
from ..runtime.kernel_spec import Memory
from ..session.plan import Step
from ..shape_inference.costs import bytes_of
from ..shape_inference.inference import Inference
from ..shape_inference.symbolic.formulas import Formula
from ..shape_inference.traits import Move


class Moment(NamedTuple):
    """A step of a plan: the op, the bytes alive while it runs, and the bytes that it allocates."""

    op: Operation
    live: Formula
    made: Formula


def is_view(op: Operation) -> bool:
    """Returns True if the results of an op are views of an input."""
    traits = op.definition.traits
    return isinstance(traits, Move) and traits.views


class _Piece:
    """Memory that holds results; `slots` are those in which it is seen."""

    __slots__ = ("nbytes", "owned", "slots")

    def __init__(self, nbytes: Formula, owned: bool) -> None:
        self.nbytes = nbytes
        self.owned = owned
        self.slots: set[int] = set()


class LiveMemory:
    """Follows the memory of a plan that runs step by step.

    What is fed, constant or the value of a variable is alive all the time. A result lies in memory
    of its own, unless the op only makes views; or its kernel writes into an input that no other op
    needs.

    Args:
        steps: the steps, in order.
        inference: the shapes.
        base: what is alive all the time.
    """

    def __init__(self, steps: Iterable[Step], inference: Inference, base: Formula) -> None:
        self._inference = inference
        self._live = base
        self._lasting = _Piece(Formula.of(0), owned=False)
        self._pieces: dict[int, _Piece] = {}
        self.moments = [self._passed(step) for step in steps]

    def _passed(self, step: Step) -> Moment:
        read = [self._pieces.get(slot, self._lasting) for slot in step.inputs]
        tensors: Iterable[Tensor | None] = step.op.outputs
        if len(step.op.outputs) != len(step.outputs):
            tensors = [None] * len(step.outputs)
        results = [self._result(step, tensor, read) for tensor in tensors]
        made = sum((p.nbytes for p in results if p not in read), Formula.of(0))
        self._live = live = self._live + made
        kept = [slot for slot in step.outputs if slot >= 0 and slot not in step.dead]
        for slot, piece in zip(step.outputs, results, strict=True):
            if slot in kept:
                self._drop(slot)
                self._put(slot, piece)
            elif piece not in read:
                self._live = self._live - piece.nbytes
        for slot in step.dead:
            self._drop(slot)
        return Moment(step.op, live, made)

    def _result(self, step: Step, tensor: Tensor | None, read: list[_Piece]) -> _Piece:
        """The memory block that holds a result."""
        op, kernel = step.op, step.kernel
        unknown = kernel.memory is Memory.UNKNOWN
        if tensor is None or (unknown and not op.definition.pure):
            return _Piece(Formula.of(0), owned=False)  # the state of a session
        nbytes = bytes_of(tensor, self._inference.shape(tensor))
        pairs = list(zip(op.inputs, step.inputs, read, strict=False))
        if is_view(op):
            return next(
                (p for x, _, p in pairs if x.dtype.base_dtype == tensor.dtype.base_dtype), read[0]
            )
        if step.run is not kernel.call:
            for _, slot, piece in pairs:
                reusable = piece.owned and piece.slots == {slot} and slot in step.dead
                if reusable and piece.nbytes == nbytes:
                    return piece
        return _Piece(nbytes, owned=True)

    def _put(self, slot: int, piece: _Piece) -> None:
        self._pieces[slot] = piece
        piece.slots.add(slot)

    def _drop(self, slot: int) -> None:
        piece = self._pieces.pop(slot, None)
        if piece is not None:
            piece.slots.discard(slot)
            if not piece.slots:
                self._live = self._live - piece.nbytes
