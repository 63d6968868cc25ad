"""Small ops for the tests of what is not about ops, defined as any user may define them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import tensordraft as td
from tensordraft.shape_inference.traits import STATEFUL, Traits

if TYPE_CHECKING:
    from tensordraft.graph.op_def import Results

ADD = td.OpDef(
    "ToyAdd", "x: T, y: T -> z: T", "T: {float32, int32, int64}", traits=Traits(symbolic=True)
)
ENDS: td.OpDef[Results] = td.OpDef("ToyEnds", "value: T -> first: T, last: T", "T: type")
CHECKED = td.OpDef("ToyChecked", "x: T -> y: T", "T: {float32, int32}")
COUNTER = td.OpDef("ToyCounter", "-> count: int32", traits=STATEFUL)
MARK: td.OpDef[td.Operation] = td.OpDef("ToyMark", "->", "text: string", traits=STATEFUL)
TOTAL = td.OpDef("ToyTotal", "values: N * T -> total: T", "N: int >= 1, T: {float32, int32}")

MARKS: list[str] = []
"""Values that runs of `MARK` have appended."""


@ADD.shape
def _add_shape(c: Any) -> td.TensorShape:
    x, y = c.shape("x"), c.shape("y")
    if not x.is_compatible_with(y):
        raise ValueError(f"y must have the shape of x, {x}, got {y}")
    result: td.TensorShape = x.merge_with(y)
    return result


@ADD.kernel
def _add_kernel(c: Any) -> Any:
    def add(x: Any, y: Any) -> Any:
        if x.shape != y.shape:
            raise ValueError(f"y must have the shape of x, {x.shape}, got {y.shape}")
        return np.asarray(x + y)

    return add


@ENDS.shape
def _ends_shape(c: Any) -> list[td.TensorShape]:
    return [c.shape("value", min_rank=1)[1:]] * 2


@ENDS.kernel
def _ends_kernel(c: Any) -> Any:
    return lambda value: (np.asarray(value[0]), np.asarray(value[-1]))


@CHECKED.shape
def _checked_shape(c: Any) -> td.TensorShape:
    result: td.TensorShape = c.shape("x")
    return result


@CHECKED.kernel
def _checked_kernel(c: Any) -> Any:
    def checked(x: Any) -> Any:
        if (x < 0).any():
            raise ValueError(f"x = {x.min()} is below 0")
        return x

    return checked


@COUNTER.shape
def _counter_shape(c: Any) -> td.TensorShape:
    return td.TensorShape([])


@COUNTER.kernel
def _counter_kernel(c: Any) -> Any:
    state, op = c.state, c.node

    def count() -> Any:
        state[op] = state.get(op, 0) + 1
        return np.array(state[op], np.int32)

    return count


@MARK.kernel
def _mark_kernel(c: Any) -> Any:
    text = c.attr("text").decode()
    return lambda: MARKS.append(text)


@TOTAL.shape
def _total_shape(c: Any) -> td.TensorShape:
    shape = c.shapes("values")[0]
    for other in c.shapes("values")[1:]:
        shape = shape.merge_with(other)
    result: td.TensorShape = shape
    return result


@TOTAL.kernel
def _total_kernel(c: Any) -> Any:
    return lambda *values: np.asarray(sum(values[1:], values[0].copy()))


def mark(text: str) -> td.Operation:
    """An operation that leaves `text` in `MARKS` when it runs."""
    return MARK(text=text, name=text)


def marks_of(session: td.Session, fetches: Any, feed_dict: Any = None) -> list[str]:
    """The marks that a run leaves, in order."""
    del MARKS[:]
    session.run(fetches, feed_dict)
    return list(MARKS)
