"""Workspace memory of kernels besides their results, for known sizes."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from types import MappingProxyType
from typing import NamedTuple

from .context import Knowledge, OpContext, settled
from .protocols import Edge, Node
from .symbolic.formulas import Formula


class Workspace(NamedTuple):
    """Workspace memory of a kernel in bytes.

    Args:
        passing: what is given back when the op has run.
        lasting: what stays with the plan, for its next run.
        lent: by its use, what the thread keeps, and lends to the next kernel for the same use.
    """

    passing: int = 0
    lasting: int = 0
    lent: Mapping[str, int] = MappingProxyType({})


class UnsizedError(Exception):
    """A size is not a number."""


class SizedContext(OpContext):
    """Context of a workspace rule: attrs, and the sizes of arguments and results as numbers."""

    __slots__ = ("_constants", "_sizes")

    def __init__(
        self,
        node: Node,
        inference: Knowledge,
        constants: Container[Edge],
        sizes: Mapping[str, int],
    ) -> None:
        super().__init__(node, inference)
        self._constants = constants
        self._sizes = sizes

    def numbers(self, name: str) -> tuple[int, ...]:
        """The sizes of argument `name`.

        Raises:
            UnsizedError: one is not known.
        """
        return self.numbers_of(self.input(name))

    def is_constant(self, name: str) -> bool:
        """Returns whether argument `name` is the same at every run of the plan."""
        return self.input(name) in self._constants

    def numbers_of(self, edge: Edge) -> tuple[int, ...]:
        """The sizes of `edge`, an input.

        Raises:
            UnsizedError: one is not known.
        """
        sizes = settled(self._inference.shape(edge))
        found = [Formula.of(size).at(self._sizes) for size in sizes or ()]
        numbers = tuple([size for size in found if isinstance(size, int)])
        if sizes is None or len(numbers) < len(sizes):
            raise UnsizedError
        return numbers


WorkspaceRule = Callable[[SizedContext], Workspace]
"""From an op and the numbers of its sizes to the memory that its kernel takes."""


def workspace_of(
    node: Node, inference: Knowledge, constants: Container[Edge], sizes: Mapping[str, int]
) -> Workspace:
    """Workspace memory of an op's kernel; zero if unknown.

    Args:
        node: the op.
        inference: the shapes.
        constants: the tensors that are the same at every run.
        sizes: the numbers of named sizes.
    """
    rule = node.definition.workspace_rule
    try:
        c = SizedContext(node, inference, constants, sizes)
        return Workspace() if rule is None else rule(c)
    except (UnsizedError, ValueError):  # or the op cannot run at these sizes, as a run will report
        return Workspace()
