"""Running a chain of elementwise functions block by block, all of them on a block in cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..graph.describe import run_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor

    from ..graph.node import Operation
    from .plan import Array

_BLOCK_BYTES = 1 << 18
_FEWEST_ELEMENTS = 1 << 17


class Instruction(NamedTuple):
    """One ufunc of a chain: the slots it reads and writes, and the op it stands for."""

    function: Callable[..., Any]
    inputs: tuple[int, ...]
    output: int
    dtype: np.dtype[Any]
    op: Operation


class BlockProgram:
    """A chain of elementwise functions as one kernel, with results equal to those of the steps.

    Args:
        instructions: in order; each writes a slot of its own.
        inputs: the slots that come from outside, in the order of the kernel's arguments.
        outputs: the slots that leave, in the order of its results.
        full: for each input, whether it has the shape of the results; the others are scalars.
        threads: how many threads share the blocks.
    """

    def __init__(
        self,
        instructions: Sequence[Instruction],
        inputs: tuple[int, ...],
        outputs: tuple[int, ...],
        full: Sequence[bool],
        threads: int,
    ) -> None:
        self._instructions = instructions
        self._inputs = inputs
        self._outputs = outputs
        self._full = full
        self._pool = _pool(threads) if threads > 1 else None
        self._threads = threads
        dtypes = {item.output: item.dtype for item in instructions}
        self._dtypes = [dtypes[slot] for slot in outputs]
        self._block = _BLOCK_BYTES // max(dtype.itemsize for dtype in dtypes.values())
        self._run = _compiled(instructions, inputs, outputs, full, self._block)

    def __call__(self, *arrays: Array) -> Any:
        """The results: one array, or a tuple of them."""
        shape = self._common_shape(arrays)
        if shape is None:
            return self._one_by_one(arrays)
        size = int(np.prod(shape))
        results = [np.empty(shape, dtype) for dtype in self._dtypes]
        flat = [
            array.reshape(-1) if full else array
            for array, full in zip(arrays, self._full, strict=True)
        ]
        flat += [result.reshape(-1) for result in results]
        if self._pool is None:
            self._run(0, size, *flat)
        else:
            share = -(-size // (self._threads * self._block)) * self._block
            parts = [
                self._pool.submit(self._quietly, start, min(start + share, size), flat)
                for start in range(0, size, share)
            ]
            for part in parts:
                part.result()
        return results[0] if len(results) == 1 else tuple(results)

    def _quietly(self, start: int, stop: int, flat: Sequence[Array]) -> None:
        with np.errstate(all="ignore"):
            self._run(start, stop, *flat)

    def _common_shape(self, arrays: Sequence[Array]) -> tuple[int, ...] | None:
        """The shape of the full arrays if they have one, are contiguous and large, else None."""
        shape = None
        for array, full in zip(arrays, self._full, strict=True):
            if not full:
                if array.ndim:
                    return None
            elif shape is None:
                shape = array.shape
                if array.size < _FEWEST_ELEMENTS or not array.flags.c_contiguous:
                    return None
            elif array.shape != shape or not array.flags.c_contiguous:
                return None
        return shape

    def _one_by_one(self, arrays: Sequence[Array]) -> Any:
        """The plain way, for arrays of other shapes than those that the chain was made for."""
        values = dict(zip(self._inputs, arrays, strict=True))
        for item in self._instructions:
            inputs = [values[slot] for slot in item.inputs]
            try:
                values[item.output] = np.asarray(item.function(*inputs))
            except Exception as error:
                raise run_error(error, item.op, inputs) from error
        results = tuple([values[slot] for slot in self._outputs])
        return results[0] if len(results) == 1 else results


def _pool(threads: int) -> Executor:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads)


def _compiled(
    instructions: Sequence[Instruction],
    inputs: tuple[int, ...],
    outputs: tuple[int, ...],
    full: Sequence[bool],
    block: int,
) -> Callable[..., None]:
    """The function that runs the instructions on the blocks of a range; numbered names only."""
    scope: dict[str, Any] = {f"k{i}": item.function for i, item in enumerate(instructions)}
    names = {slot: f"v{slot}" for slot in (*inputs, *outputs)}
    last = {slot: i for i, item in enumerate(instructions) for slot in item.inputs}
    buffers: dict[str, np.dtype[Any]] = {}
    free: list[str] = []
    lines = []
    for i, item in enumerate(instructions):
        arguments = [names[slot] for slot in item.inputs]
        # A buffer that is read here for the last time may be written to: elementwise functions
        # read an element before they write it.
        dying = [slot for slot in dict.fromkeys(item.inputs) if last[slot] == i]
        free += [names[slot] for slot in dying if names[slot] in buffers]
        if item.output not in names:
            fitting = [name for name in free if buffers[name] == item.dtype]
            if fitting:
                names[item.output] = fitting[0]
                free.remove(fitting[0])
            else:
                names[item.output] = f"b{len(buffers)}"
                buffers[names[item.output]] = item.dtype
        lines.append(f"k{i}({', '.join(arguments)}, {names[item.output]})")
    blocked = [slot for slot, is_full in zip(inputs, full, strict=True) if is_full] + [*outputs]
    scope.update({f"d{name}": dtype for name, dtype in buffers.items()})
    scope["empty"] = np.empty
    parameters = [f"{'f' if slot in blocked else 'v'}{slot}" for slot in (*inputs, *outputs)]
    source = [
        f"def run(start, stop, {', '.join(parameters)}):",
        *[f" {name} = empty({block}, d{name})" for name in buffers],
        f" for s in range(start, stop, {block}):",
        f"  e = s + {block}",
        "  if e > stop:",
        "   e = stop",
        *[f"   {name} = {name}[:e - s]" for name in buffers],
        *[f"  v{slot} = f{slot}[s:e]" for slot in dict.fromkeys(blocked)],
        *[f"  {line}" for line in lines],
    ]
    exec(compile("\n".join(source), "<tensordraft blocks>", "exec"), scope)  # noqa: S102 - see above
    return scope["run"]  # type: ignore[no-any-return]
