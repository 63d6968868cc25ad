"""Gradients and graphs where a tensor of known value is fed: that value is not relied upon."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("session")


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (lambda x: td.constant(2.0) * x, 2.0),
        (lambda x: x * td.constant(2.0), 2.0),
        (td.square, 6.0),
        (lambda x: x / 2.0, 0.5),
        (td.exp, np.exp(3.0)),
        (lambda x: x**2.0, 6.0),
        (td.abs, 1.0),
    ],
)
@pytest.mark.parametrize(
    "ones", [lambda _: td.constant(1.0), td.ones_like, lambda _: td.fill([], 1.0)]
)
def test_known_grad_ys_may_be_fed(
    session: td.Session, function: Callable[[Any], Any], slope: float, ones: Callable[[Any], Any]
) -> None:
    x = td.constant(3.0)
    seed = td.identity(ones(x))
    gradient = td.gradients(function(x), x, seed)[0]
    assert session.run(gradient) == pytest.approx(slope)
    assert session.run(gradient, {seed: 5.0}) == pytest.approx(5 * slope)
    assert session.run(gradient, {seed.op.inputs[0]: 5.0}) == pytest.approx(5 * slope)


def test_known_zeros_among_grad_ys_may_be_fed(session: td.Session) -> None:
    x = td.constant(3.0)
    zeros = td.zeros_like(x)
    gradient = td.gradients([x * 2.0, x * 1.0], x, [td.ones_like(x), zeros])[0]
    assert session.run(gradient) == 2.0
    assert session.run(gradient, {zeros: 5.0}) == 7.0


def test_ones_that_gradients_are_built_without_may_not_be_fed(session: td.Session) -> None:
    x = td.placeholder(td.float32, [])
    y = td.exp(x)
    first = td.gradients(y, x)[0]
    assert [op.type for op in first.graph.get_operations()][-1] == "Const"  # the slope is y
    with pytest.raises(ValueError, match="'gradients/grad_ys_0:0' may not be fed"):
        session.run(first, {x: 0.0, "gradients/grad_ys_0:0": 3.0})


def test_axes_that_gradients_are_built_by_may_not_be_fed(session: td.Session) -> None:
    x, axes = td.placeholder(td.float32, [2, 2]), td.constant([0])
    total = td.reduce_sum(x, axes)
    values = [[1.0, 2.0], [3.0, 4.0]]
    assert session.run(total, {x: values, axes: [1]}).tolist() == [3, 7]
    td.gradients(total, x)
    with pytest.raises(ValueError, match="built from its value"):
        session.run(total, {x: values, axes: [1]})


@pytest.mark.parametrize("read", [td.identity, td.logical_not])
def test_what_a_graph_is_built_by_may_not_be_fed(
    session: td.Session, read: Callable[[Any], Any]
) -> None:
    chosen = read(td.constant(True))
    result = td.contrib.framework.smart_cond(chosen, lambda: td.constant(1), lambda: td.constant(2))
    for fed in (chosen, chosen.op.inputs[0]):  # as TensorFlow's constant_value has it
        with pytest.raises(ValueError, match="placeholder_with_default"):
            session.run(result, {fed: False})
    keep = td.constant(1.0)
    td.nn.dropout(td.zeros([2]), keep)
    with pytest.raises(ValueError, match="may not be fed"):
        session.run(result, {keep: 0.5})


def test_defaults_and_predicates_of_cond_may_be_fed(session: td.Session) -> None:
    def one() -> td.Tensor:
        return td.constant(1)

    def two() -> td.Tensor:
        return td.constant(2)

    default = td.placeholder_with_default(True, [])
    result = td.contrib.framework.smart_cond(default, one, two)
    assert [session.run(result), session.run(result, {default: False})] == [1, 2]
    known = td.constant(True)
    result = td.cond(known, one, two)
    assert [session.run(result), session.run(result, {known: False})] == [1, 2]


def test_only_what_is_known_may_not_be_fed(session: td.Session) -> None:
    x = td.placeholder(td.int32, [])
    nothing = x * 0
    assert td.constant_value(nothing) == 0
    assert not nothing.graph.is_feedable(nothing)
    assert session.run(x + 1, {x: 1}) == 2


def test_a_fed_shape_counts_where_sizes_are_asked_for(session: td.Session) -> None:
    x, sizes = td.placeholder(td.float32, [6]), td.constant([2, 3])
    table = td.reshape(x, sizes)
    gradient = td.gradients(td.reduce_sum(table * table, 1), x)[0]
    feed = {x: np.arange(6.0), sizes: [3, 2]}
    rows, shape = session.run([td.reduce_sum(table, 1), td.shape(table)], feed)
    assert [rows.tolist(), shape.tolist()] == [[1, 5, 9], [3, 2]]
    assert session.run(gradient, feed).tolist() == [0, 2, 4, 6, 8, 10]
