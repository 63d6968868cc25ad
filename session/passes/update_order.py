"""In-place ops: which tensor they update, and that a graph says who reads it when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...graph.describe import describe_op
from ...graph.node import Operation, Tensor
from ...runtime import errors
from ...shape_inference.protocols import aliased


def updated_tensors(ops: Sequence[Operation], fed: set[Tensor]) -> dict[Tensor, Tensor]:
    """For each tensor that in-place ops update, and each such update, the tensor itself.

    An update and what it updates have one slot, so that later readers of either see the
    update. Values read before, and fed values, do not change.
    """
    roots: dict[Tensor, Tensor] = {}
    for op in ops:
        target = None if op.definition.traits.aliases is None else aliased(op.outputs[0])
        if isinstance(target, Tensor) and op.outputs[0] not in fed:
            roots[op.outputs[0]] = roots.setdefault(target, target)
    return roots


def check_update_order(
    ops: Sequence[Operation],
    fetches: Sequence[Tensor | Operation],
    roots: Mapping[Tensor, Tensor],
) -> None:
    """Checks that every use of an updated tensor comes before or after each update.

    Args:
        ops: what runs.
        fetches: what is fetched.
        roots: from `updated_tensors`.

    Raises:
        InvalidArgumentError: the graph leaves the order of an update and a use open.
    """
    for writer in ops:
        if writer.definition.traits.aliases is None:
            continue
        root = roots.get(writer.outputs[0], writer.outputs[0])
        for user in ops:
            if (
                user is not writer
                and any(roots.get(tensor, tensor) is root for tensor in user.inputs)
                and not _ordered(user, writer)
            ):
                raise _race(writer, f"is read by {describe_op(user)}")
        for fetch in fetches:
            if (
                isinstance(fetch, Tensor)
                and roots.get(fetch, fetch) is root
                and fetch.op is not writer
                and not _comes_after(fetch.op, writer)
            ):
                raise _race(writer, f"is fetched as {fetch.name!r}")


def _ordered(a: Operation, b: Operation) -> bool:
    return _comes_after(a, b) if a.index > b.index else _comes_after(b, a)


def _comes_after(later: Operation, earlier: Operation) -> bool:
    """Returns whether `later` depends on `earlier`, through tensors or control inputs."""
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
        f"{describe_op(writer)} updates {name!r} in place, which {use}; nothing in the graph says "
        "which comes first: add a control dependency between the two",
    )
