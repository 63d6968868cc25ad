"""What a kernel states of itself, so that sessions need not guess what they may do with it."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping


class Memory(Enum):
    """Where the results of a kernel lie.

    Attributes:
        FRESH: each in memory of its own, which nobody else knows.
        VIEW: in memory of the inputs, or as for FRESH.
        UNKNOWN: anywhere, such as in a cache; the kernel may also keep its inputs.
    """

    FRESH = "fresh"
    VIEW = "view"
    UNKNOWN = "unknown"


class KernelSpec:
    """A kernel, and what may be done with it.

    A kernel factory may return a plain function instead, of which then nothing is known but what
    the op states of all its kernels: `OpDef.fresh_kernel` and `view_kernel`.

    Args:
        call: one array per input to the result, or a tuple of several.
        memory: where the results lie.
        block: of an elementwise op: the same for arrays of equal shapes and scalars, without what
            `call` does for others. By default `call`.
        takes_out: whether `block` also writes its result into an array that is given as `out`.
        overwriting: from the positions of arguments that nobody needs any more to the function
            that may write into those of them that are not read-only, to be called in place of
            `call`.
        bodies: what runs the functions that the op calls, by what they are to it; each has a
            `name` and a `plan`.

    Example:
        >>> import numpy as np
        >>> from tensordraft.graph.kernel_spec import KernelSpec, Memory
        >>> spec = KernelSpec(np.exp, Memory.FRESH, takes_out=True)
        >>> spec(np.zeros(2)), spec.block is np.exp
        (array([1., 1.]), True)
    """

    __slots__ = ("block", "bodies", "call", "memory", "overwriting", "takes_out")

    def __init__(
        self,
        call: Callable[..., Any],
        memory: Memory = Memory.UNKNOWN,
        *,
        block: Callable[..., Any] | None = None,
        takes_out: bool = False,
        overwriting: Callable[[Container[int]], Callable[..., Any]] | None = None,
        bodies: Mapping[str, Any] | None = None,
    ) -> None:
        self.call = call
        self.memory = memory
        self.block = block or call
        self.takes_out = takes_out
        self.overwriting = overwriting
        self.bodies = bodies or {}

    def __call__(self, *arrays: Any) -> Any:
        """Computes the op."""
        return self.call(*arrays)

    def checked(self, call: Callable[..., Any]) -> KernelSpec:
        """The kernel called by way of `call`, which adds what blocks of arrays do not need.

        Where `call` returns another array than the kernel has made, it is a new one.
        """
        return KernelSpec(call, self.memory, block=self.block, takes_out=self.takes_out)


def stated(kernel: Callable[..., Any], memory: Memory = Memory.UNKNOWN) -> KernelSpec:
    """What is known of a kernel: what it states, or that it is a ufunc, or what its op states.

    Args:
        kernel: what a kernel factory has returned.
        memory: where the results of a plain function lie.
    """
    if isinstance(kernel, KernelSpec):
        return kernel
    if isinstance(kernel, np.ufunc):
        return KernelSpec(kernel, Memory.FRESH, takes_out=True)
    return KernelSpec(kernel, memory)


def fresh(call: Callable[..., Any]) -> KernelSpec:
    """The kernel `call`, each of whose results is a new array that nobody else knows."""
    return KernelSpec(call, Memory.FRESH)


def view(call: Callable[..., Any]) -> KernelSpec:
    """The kernel `call`, whose results are views of its inputs, or new arrays."""
    return KernelSpec(call, Memory.VIEW)


def writes_out(call: Callable[..., Any]) -> KernelSpec:
    """The elementwise kernel `call`, which writes into `out` if that is given, else a new array."""
    return KernelSpec(call, Memory.FRESH, takes_out=True)
