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


_GRID = np.arange(9.0, dtype=np.float32).reshape(3, 3) - 4
_UNKNOWN = (None, None)


@pytest.mark.parametrize(
    ("build", "sizes", "value", "fed"),
    [
        (td.reduce_max, _UNKNOWN, [0], [1]),
        (td.reduce_min, (3, None), [-1], [0]),
        (td.reduce_prod, _UNKNOWN, [0], [1]),
        (td.reduce_sum, None, [0], [1]),
        (td.reduce_mean, None, [0, 1], [1, -2]),
        (lambda x, begin: td.slice(x, begin, [2, 2]), (3, 3), [0, 0], [1, 1]),
        (lambda x, begin: td.slice(x, begin, [2, 2]), _UNKNOWN, [0, 0], [1, 0]),
        (lambda x, axis: td.concat([x, 2 * x], axis), (3, 3), 0, -1),
        (lambda x, axis: td.concat([x, 2 * x, x], axis), _UNKNOWN, 1, 0),
        (td.transpose, (3, 3), [1, 0], [0, 1]),
        (td.transpose, _UNKNOWN, [-1, 0], [0, -1]),
        (td.pad, _UNKNOWN, [[1, 0], [0, 1]], [[0, 2], [0, 0]]),
        (td.tile, (3, 3), [1, 2], [2, 1]),
        (td.tile, _UNKNOWN, [2, 1], [1, 2]),
        (lambda x, shift: td.roll(x, shift, 0), (3, 3), 1, 2),
        (td.cumsum, (3, 3), 0, 1),
    ],
)
def test_feeds_that_tensorflow_allows_count_in_gradients(
    session: td.Session, build: Callable[..., Any], sizes: Any, value: Any, fed: Any
) -> None:
    x = td.placeholder(td.float32, sizes)

    def gradient(y: td.Tensor) -> td.Tensor:
        return td.gradients(y * y * y, x)[0]  # a slope of its own at each element

    known = td.constant(value)
    changing = gradient(build(x, known))
    for now in (value, fed):
        fixed = gradient(build(x, td.constant(now)))
        results = session.run([changing, fixed], {x: _GRID, known: now})
        np.testing.assert_allclose(results[0], results[1], rtol=1e-6)


@pytest.mark.parametrize(
    "build",
    [
        td.reduce_mean,
        td.reduce_max,
        td.reduce_prod,
        lambda x, axis: td.gather(x, [0], axis=axis),
    ],
)
def test_feeds_that_tensorflow_refuses_are_refused(build: Callable[..., Any]) -> None:
    x, axis = td.placeholder(td.float32, [3, 3]), td.constant(1)
    y = build(x, axis)
    assert axis.graph.is_feedable(axis)
    td.gradients(y, x)
    assert not axis.graph.is_feedable(axis)


def test_axes_without_elements_may_be_fed(session: td.Session) -> None:
    x, axes = td.placeholder(td.float32, [2]), td.placeholder(td.int32, [0])
    assert td.constant_value(axes) is not None  # its shape is its value
    gradient = td.gradients(td.reduce_max(x, axes) * 3.0, x)[0]
    assert session.run(gradient, {x: [1.0, 2.0], axes: []}).tolist() == [3, 3]


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


def _loop(step: Callable[[Any, Any], Any], x: td.Tensor, add: Any = 1, most: int = 3) -> td.Tensor:
    return td.while_loop(lambda i, _: i < most, lambda i, h: (i + add, step(i, h)), [0, x])[1]


@pytest.mark.parametrize(
    ("build", "value", "fed"),
    [
        (lambda x, k: _loop(lambda _, h: h * k, x), 1.0, 5.0),
        (lambda x, k: _loop(lambda _, h: h**k, x), 1.0, 2.0),
        (lambda x, k: _loop(lambda _, h: h * h, x, k), 1, 2),
        (lambda x, k: _loop(lambda i, h: h * td.cast(i + k, td.float32), x), 1, 2),
        (lambda x, k: _loop(lambda _, h: h * td.gather(h, k), x), 0, 2),
        (lambda x, k: _loop(lambda _, h: h * td.slice(h, k, [1]), x), [0], [2]),
        (lambda x, k: _loop(lambda _, h: td.where(k, h * 2.0, h * h), x), [True] * 3, [False] * 3),
        (lambda x, k: _loop(lambda _, h: _loop(lambda j, g: g * g, h, k), x), 1, 2),
        (lambda x, k: _loop(lambda _, h: td.cond(k, lambda: h + h, lambda: h * h), x), True, False),
    ],
)
def test_constants_that_loops_capture_may_be_fed(
    session: td.Session, build: Callable[..., Any], value: Any, fed: Any
) -> None:
    x = td.placeholder(td.float32, [3])
    known = td.constant(value)
    results = []
    for inner in (known, td.constant(fed)):
        y = build(x, inner)
        pair = [y, td.gradients(y, x)[0]]
        results.append(session.run(pair, {x: [0.5, 1.0, 1.5], known: fed}))
    for got, wanted in zip(*results, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5)


def _matrix(h: td.Tensor) -> td.Tensor:
    return td.reshape(td.tile(h, [3]), [3, 3]) * np.arange(9, dtype=np.float32).reshape(3, 3)


@pytest.mark.parametrize(
    "build",
    [
        lambda x, k: _loop(lambda _, h: td.reshape(td.gather(_matrix(h), [1], axis=k), [3]), x),
        lambda x, k: _loop(lambda _, h: td.reduce_sum(_matrix(h), k), x),
        lambda x, k: _loop(lambda _, h: h * td.reduce_sum(td.expand_dims(h[:2], k)), x),
        lambda x, k: td.cond(x[0] > 0, lambda: td.reduce_mean(_matrix(x), k), lambda: x),
    ],
)
def test_what_shapes_in_a_body_follow_from_may_not_be_fed(build: Callable[..., Any]) -> None:
    x, k = td.placeholder(td.float32, [3]), td.constant(0)
    y = build(x, k)
    assert k.graph.is_feedable(k)
    td.gradients(y, x)
    assert not k.graph.is_feedable(k)
