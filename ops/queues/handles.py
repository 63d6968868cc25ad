"""Session resources behind handles, and ops in the two versions that take them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits

HOME = "container: string = '', shared_name: string = ''"
"""Attrs that name the place where a session keeps what an op makes."""


def shared_home(c: KernelContext) -> tuple[tuple[Any, ...], str]:
    """The key under which a session keeps what an op makes, and what errors call that.

    Ops of one shared name have one; what has none is the op's own.
    """
    shared = c.attr("shared_name").decode("utf-8", "replace")
    if shared:
        return ("shared", c.attr("container"), shared), shared
    key = ("own", c.node)
    numbers = c.state.setdefault("numbers of what has no shared name", count())
    name: str = c.state.setdefault((*key, "name"), None) or f"_{next(numbers)}_{c.node.name}"
    c.state[(*key, "name")] = name
    return key, name


def kept_behind(handle: Array, kind: type[Any], what: str) -> Any:
    """The resource behind a handle.

    Raises:
        ValueError: it is not of the kind.
    """
    item = handle.item() if handle.dtype == object and not handle.ndim else None
    if not isinstance(item, kind):
        raise ValueError(f"the handle must be that of {what}, got {type(item).__name__}")
    return item


def by_reference_and_handle(
    name: str,
    arguments: str,
    attrs: str,
    shape: Callable[[ShapeContext], Any],
    kernel: Callable[[KernelContext], Kernel],
    second: str = "{}V2",
    waits: bool = False,
) -> dict[str, OpDef[Any]]:
    """Defines an op in its two versions; `HANDLE` in the arguments is of another dtype in each.

    Args:
        name: the name of the first version, which is by reference.
        arguments: inputs and outputs.
        attrs: the attrs.
        shape: the shape function.
        kernel: the kernel factory.
        second: how the name of the version by handle follows from that of the first.
        waits: whether the op may have to wait for what others do.
    """
    definitions: dict[str, OpDef[Any]] = {}
    for version, dtype in (("", "Ref(string)"), ("V2", "resource")):
        stateful = version or "HANDLE" not in arguments.partition("->")[0]
        op: OpDef[Any] = OpDef(
            second.format(name) if version else name,
            arguments.replace("HANDLE", dtype),
            attrs,
            traits=Traits(stateful=bool(stateful), waits=waits),
        )
        op.shape(shape)
        op.kernel(kernel)
        definitions[version] = op
    return definitions


def nothing_shape(c: ShapeContext) -> list[TensorShape]:
    """The shape function of an op without results."""
    return []


def scalar_shape(c: ShapeContext) -> TensorShape:
    """The shape function of an op whose result is a scalar."""
    return SCALAR
