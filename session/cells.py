"""In-place ops: which tensors share a memory cell in a plan, and who reads it when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graph import errors
from ..graph.describe import whereabouts
from ..graph.node import Operation, Tensor
from ..shape_inference.protocols import aliased

if TYPE_CHECKING:
    from collections.abc import Sequence


class Cells:
    """The tensors of a plan that in-place ops tie together.

    The output of an in-place op is the tensor that it updates, so both have one slot, and whoever
    reads either afterwards sees the update. What is read before, and what was fed, stays as it
    was, since kernels make new arrays.
    """

    def __init__(self, ops: Sequence[Operation], feeds: Sequence[Tensor]) -> None:
        self._ops = ops
        self._writers = [op for op in ops if op.definition.traits.aliases is not None]
        self._roots: dict[Tensor, Tensor] = {}
        fed = set(feeds)
        for op in self._writers:
            target = aliased(op.outputs[0])
            if isinstance(target, Tensor) and op.outputs[0] not in fed:
                root = self._roots.setdefault(target, target)
                self._roots[op.outputs[0]] = root

    def root(self, tensor: Tensor) -> Tensor:
        """The tensor that stands for the cell of `tensor`."""
        return self._roots.get(tensor, tensor)

    def updated(self, tensor: Tensor) -> bool:
        """Whether `tensor` is updated in place, or is such an update."""
        return tensor in self._roots

    def check_order(self, fetches: Sequence[Tensor | Operation]) -> None:
        """Checks that every use of an updated tensor comes before or after each update.

        Raises:
            InvalidArgumentError: the graph leaves the order of an update and a use open.
        """
        if not self._writers:
            return
        for writer in self._writers:
            cell = self.root(writer.outputs[0])
            for user in self._ops:
                if (
                    user is not writer
                    and any(self.root(tensor) is cell for tensor in user.inputs)
                    and not _ordered(user, writer)
                ):
                    raise _race(writer, f"is read by {whereabouts(user)}")
            for fetch in fetches:
                if (
                    isinstance(fetch, Tensor)
                    and self.root(fetch) is cell
                    and fetch.op is not writer
                    and not _comes_after(fetch.op, writer)
                ):
                    raise _race(writer, f"is fetched as {fetch.name!r}")


def _ordered(a: Operation, b: Operation) -> bool:
    return _comes_after(a, b) if a.index > b.index else _comes_after(b, a)


def _comes_after(later: Operation, earlier: Operation) -> bool:
    """Whether `later` depends on `earlier`, through tensors or control inputs."""
    pending = [later]
    seen = {later}
    while pending:
        op = pending.pop()
        for source in (*(tensor.op for tensor in op.inputs), *op.controls):
            if source is earlier:
                return True
            if source not in seen and source.index > earlier.index:
                seen.add(source)
                pending.append(source)
    return False


def _race(writer: Operation, use: str) -> errors.InvalidArgumentError:
    target = aliased(writer.outputs[0])
    name = target.name if isinstance(target, Tensor) else "its input"
    return errors.InvalidArgumentError(
        None,
        writer,
        f"{whereabouts(writer)} updates {name!r} in place, which {use}; nothing in the graph says "
        "which comes first: add a control dependency between the two",
    )
