"""A plan under construction: work to do, and substitutes for tensors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...graph.node import Operation, Tensor
from ...runtime.kernel_spec import KernelSpec, Loop
from ...shape_inference.inference import Inference
from ...shape_inference.protocols import Array, Edge
from .plan_options import PlanOptions


class Constant:
    """A value that is the same at every run."""

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array


Source = Tensor | Constant
"""Source of a value: the work that computes it, or a constant."""


class Substitutions:
    """Substitutes for tensors in a plan: the tensor itself, another one, or a constant.

    A tensor that equals another, a result that is known, a variable whose value is wanted, and an
    update in place all have a substitute. A single lookup finds it.
    """

    def __init__(self) -> None:
        self._sources: dict[Any, Source] = {}

    def of(self, tensor: Tensor) -> Source:
        """Substitute for `tensor`."""
        return self._sources.get(tensor, tensor)

    def of_all(self, tensors: Sequence[Tensor]) -> tuple[Source, ...]:
        """Substitutes for several tensors."""
        of = self._sources.get
        return tuple([of(tensor, tensor) for tensor in tensors])

    def put(self, tensor: Tensor, source: Source) -> None:
        """Substitutes `source`, or its own substitute, for `tensor`."""
        if isinstance(source, Tensor):
            source = self._sources.get(source, source)
        if source is not tensor:
            self._sources[tensor] = source

    def __contains__(self, tensor: object) -> bool:
        return tensor in self._sources

    def get(self, edge: Edge) -> Array | None:
        """Value of a tensor whose substitute is a constant, for kernel factories."""
        source = self._sources.get(edge)
        return source.array if isinstance(source, Constant) else None


class Acceleration(NamedTuple):
    """A loop that does the work of an op, and whether there is machine code of it for this plan.

    A form that gives the same bits as the op's kernel is used as soon as there is machine code.
    """

    loop: Loop
    used: bool
    same_bits: bool = False


class Work(NamedTuple):
    """An op to run with its actual inputs, or the read of a variable.

    The result of a read is a tensor of the plan only. `folded` lists ops that it also does;
    `acceleration` is there where machine code does the work, or would.
    """

    op: Operation
    kernel: KernelSpec
    inputs: tuple[Source, ...]
    outputs: Sequence[Tensor]
    folded: tuple[str, ...] = ()
    acceleration: Acceleration | None = None

    def by(self, kernel: KernelSpec) -> Work:
        """The work done by another kernel.

        Constants of which only the shape is read, since it has derived its own, are released.
        """
        inputs = list(self.inputs)
        for i in kernel.shape_alone:
            source = inputs[i]
            if isinstance(source, Constant):
                empty = np.zeros((), source.array.dtype)
                inputs[i] = Constant(np.broadcast_to(empty, source.array.shape))
        return self._replace(kernel=kernel, inputs=tuple(inputs))


class Draft:
    """A plan in the making, which passes work on.

    Attributes:
        ops: the ops that are needed, in the order they were made.
        feeds: what is fed.
        fed: the same, as a set.
        fetches: what is fetched.
        inference: what is known of the tensors under these feeds.
        substitutes: the substitutes for tensors.
        work: what has to run, in an order in which it can.
        options: the session's settings.
    """

    def __init__(
        self,
        ops: Sequence[Operation],
        feeds: Sequence[Tensor],
        fetches: Sequence[Tensor | Operation],
        inference: Inference,
        options: PlanOptions,
    ) -> None:
        self.ops = ops
        self.feeds = feeds
        self.fed = set(feeds)
        self.fetches = fetches
        self.inference = inference
        self.substitutes = Substitutions()
        self.work: list[Work] = []
        self.options = options

    @property
    def awaited(self) -> set[Operation]:
        """The ops that have to have run, be it for no result: fetched, or waited for by others."""
        awaited = {item for item in self.fetches if isinstance(item, Operation)}
        awaited.update(control for op in self.ops for control in op.controls)
        return awaited

    @property
    def wanted(self) -> list[Source | None]:
        """Source of each fetch; None for an operation."""
        return [
            self.substitutes.of(item) if isinstance(item, Tensor) else None for item in self.fetches
        ]

    @property
    def readers(self) -> dict[Source, list[int]]:
        """Readers of each tensor, by place; -1 if it has to exist after a run."""
        readers: dict[Source, list[int]] = {}
        for place, item in enumerate(self.work):
            for source in item.inputs:
                readers.setdefault(source, []).append(place)
        kept: list[Source | None] = [*self.wanted, *self.fed]
        for wanted in kept:
            if wanted is not None:
                readers.setdefault(wanted, []).append(-1)
        return readers

    def replace(self, outputs: Iterable[Tensor], sources: Iterable[Source]) -> None:
        """Substitutes `sources` for the results of an op, except for fed ones."""
        for tensor, source in zip(outputs, sources, strict=True):
            if tensor not in self.fed:
                self.substitutes.put(tensor, source)
