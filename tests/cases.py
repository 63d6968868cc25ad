"""One row of a case table: an op, its inputs, its attrs and what comes out; and how it is run.

Inputs and results that are no arrays have the dtype that `td.constant` gives them; `(value,
dtype)` says another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

import tensordraft as td
from tensordraft.graph.registry import lookup
from tensordraft.protos.constant_array import constant_array

Array = np.ndarray[Any, Any]
Shape = list[int | None] | None
Declare = Callable[[Array], Any]

CONSTANT = object()
"""Declared in place of a shape: the input is a constant, not fed."""

DTYPES = {name for name in dir(td) if isinstance(getattr(td, name), td.DType)}


class Raises(NamedTuple):
    """The error that a case expects, and when: see `raises`."""

    clause: str
    at: str
    error: type[td.errors.OpError]


def raises(
    clause: str,
    at: Literal["build", "run"] = "build",
    error: type[td.errors.OpError] = td.errors.InvalidArgumentError,
) -> Raises:
    """Expects an error instead of a result.

    Args:
        clause: a regular expression that is found in the message, whenever it is raised.
        at: with constant inputs, "build" for an error of the call, "run" for one of the session.
            Where the inputs hide what is wrong, it is always raised by the session.
        error: the class of the session's error.
    """
    return Raises(clause, at, error)


@dataclass(frozen=True)
class Case:
    """One row of a table.

    Args:
        op: the op type, as it stands on the wire.
        inputs: one value per argument: an array, a number, a string, a nested list, or a pair
            `(value, dtype)`; for a list argument a list or tuple of these.
        attrs: the attrs that do not follow from the inputs.
        expected: the result, as an input is written; a tuple of results (flat, for list outputs)
            where there is not one output; `raises(...)`; or a function that receives the results
            and tells whether they are right.
        id: the name of the test, after the op type.
        rtol: how far floats may be off, relative to the expected value.
        atol: how far floats may be off.
        dynamic: the shape of the result depends on values even where these are constants.
        fixed: arguments that the op needs to know when it is built: never hidden, never fed.
    """

    op: str
    inputs: Sequence[Any]
    attrs: Mapping[str, Any] = field(default_factory=dict)
    expected: Any = None
    id: str = ""
    rtol: float = 0.0
    atol: float = 0.0
    dynamic: bool = False
    fixed: tuple[str, ...] = ()


class Built(NamedTuple):
    """A graph that holds the op of a case, and what to feed it."""

    graph: td.Graph
    op: td.Operation
    feeds: dict[td.Tensor, Array]
    arrays: list[Array]

    def run(self, session: td.Session) -> list[Array]:
        if not self.op.outputs:
            session.run(self.op, self.feeds)
            return []
        return [as_array(value) for value in session.run(list(self.op.outputs), self.feeds)]


def as_array(value: Any) -> Array:
    """A result of a session as an array: strings of rank 0 come as bytes."""
    if isinstance(value, bytes):
        return np.array(value, object)
    assert isinstance(value, (np.ndarray, np.generic)), f"a result is {value!r}"
    return np.asarray(value)


def typed(value: Any) -> tuple[Array, td.DType]:
    """An input or result as it is written in a case."""
    return constant_array(*value) if is_pair(value) else constant_array(value)


def is_pair(value: Any) -> bool:
    """Returns True if `value` is `(value, dtype)`."""
    if not isinstance(value, tuple) or len(value) != 2:
        return False
    return isinstance(value[1], td.DType) or (isinstance(value[1], str) and value[1] in DTYPES)


def flat_inputs(case: Case) -> list[tuple[str, Array, td.DType]]:
    """The argument's name, the array and the dtype of each tensor that the op takes."""
    specs = lookup(case.op).signature.inputs
    assert len(specs) == len(case.inputs), f"{case.op} takes {[spec.name for spec in specs]}"
    return [
        (spec.name, *typed(item))
        for spec, value in zip(specs, case.inputs, strict=True)
        for item in (value if spec.is_list else [value])
    ]


def build(case: Case, declare: Declare, special: Mapping[int, Declare] | None = None) -> Built:
    """Builds the op on constants and placeholders.

    Args:
        case: the case.
        declare: gives the shape to state for an input, or CONSTANT.
        special: what to declare instead for some inputs, by number.
    """
    graph = td.Graph()
    feeds: dict[td.Tensor, Array] = {}
    tensors: list[td.Tensor] = []
    flat = flat_inputs(case)
    with graph.as_default():
        for i, (name, array, dtype) in enumerate(flat):
            declare_it = (special or {}).get(i, declare)
            shape = CONSTANT if name in case.fixed else declare_it(array)
            if shape is CONSTANT:
                tensors.append(td.constant(array, dtype, name=name))
            else:
                tensors.append(td.placeholder(dtype, shape, name=name))
                feeds[tensors[-1]] = read_only(array)
        remaining = iter(tensors)
        arguments = [
            [next(remaining) for _ in value] if spec.is_list else next(remaining)
            for spec, value in zip(lookup(case.op).signature.inputs, case.inputs, strict=True)
        ]
        made = graph.version
        try:
            lookup(case.op)(*arguments, name="op", **case.attrs)
        except (TypeError, ValueError):
            assert graph.version == made, "a call that fails must leave the graph as it was"
            raise
    op = graph.get_operation_by_name("op")
    return Built(graph, op, feeds, [array for _, array, _ in flat])


def read_only(array: Array) -> Array:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def constant(array: Array) -> Any:
    """The input is a constant."""
    return CONSTANT


def full(array: Array) -> Shape:
    """The input is fed, with its shape known."""
    return list(array.shape)


def rank(array: Array) -> Shape:
    """The input is fed, with its rank known."""
    return [None] * array.ndim


def unknown(array: Array) -> Shape:
    """The input is fed, with nothing known."""
    return None


def all_but(axis: int) -> Declare:
    """The input is fed, with all of its dimensions known but one."""
    return lambda array: [None if k == axis else n for k, n in enumerate(array.shape)]
