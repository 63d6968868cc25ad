"""Gradients through branches, loops and lists: against differences, twice over, and by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from effort import examples
from hypothesis import given, strategies as st

import tensordraft as td
from tensordraft.graph.registry import lookup

if TYPE_CHECKING:
    from collections.abc import Callable

STEP = 1e-5
F = td.float64


def loop(rounds: Any, body: Callable[..., Any], *start: Any) -> Any:
    """The last of the variables behind a number of rounds."""
    return td.while_loop(lambda i, *_: i < rounds, body, [0, *start])[-1]


def raw(name: str, *inputs: Any, **attrs: Any) -> Any:
    return lookup(name)(*inputs, element_dtype=F, **attrs)


def grown(x: Any) -> Any:
    shapes = [td.TensorShape([]), td.TensorShape([None, None])]
    body = lambda i, y: (i + 1, td.concat([y, td.sin(y[:1])], 0))  # noqa: E731
    return td.while_loop(lambda i, _: i < 3, body, [0, x], shapes)[1]


def listed(x: Any) -> Any:
    """Reads two items of a list in each round, and replaces one of them."""
    items = raw("TensorListFromTensor", x, [2])

    def body(i: Any, items: Any, total: Any) -> Any:
        one = raw("TensorListGetItem", items, i, [2])
        other = raw("TensorListGetItem", items, (i + 1) % td.shape(x)[0], [2])
        return i + 1, raw("TensorListSetItem", items, i, one * other), total + td.sin(other)

    start = [0, items, td.zeros([2], F)]
    _, items, total = td.while_loop(lambda i, *_: i < td.shape(x)[0], body, start)
    return td.concat([raw("TensorListStack", items, [2]), [total]], 0)


def rearranged(x: Any) -> Any:
    """Takes every way of lists that is not taken above."""
    items = raw("TensorListFromTensor", x, [2])
    items = lookup("TensorListResize")(raw("TensorListConcatLists", items, items), 7)
    items = raw("TensorListScatterIntoExistingList", items, x[:2] * 2.0, [1, 4])
    taken = raw("TensorListGather", items, [1, 1, 2, 6, 5], [2])
    rest, last = raw(
        "TensorListPopBack", raw("TensorListScatterV2", taken, [0, 3, 2, 1, 4], [2], 5), [2]
    )
    rest = raw("TensorListPushBack", rest, last * x[0])
    joined = raw("TensorListConcatV2", rest, [2], [])[0]
    parts = raw("TensorListSplit", td.reshape(joined, [5, 2]), [-1, 2], [2, 3])
    return td.concat([raw("TensorListGetItem", parts, 1, [3, 2]), [last]], 0)


def arrays(x: Any) -> Any:
    read = td.TensorArray(F, 0, True, clear_after_read=False).unstack(x)

    def body(i: Any, made: Any, total: Any) -> Any:
        row = read.read(i)
        return i + 1, made.write(i, row * total), total + td.reduce_sum(td.sin(row))

    start = [0, td.TensorArray(F, 0, True), td.constant(0.5, F)]
    _, made, total = td.while_loop(lambda i, *_: i < td.shape(x)[0], body, start)
    return td.concat([td.reshape(made.stack(), [-1]), [total]], 0)


def parts_of_arrays(x: Any) -> Any:
    parts = td.TensorArray(F, 3, infer_shape=False, clear_after_read=False).split(x, [1, 2, 1])
    places = td.TensorArray(F, 5, clear_after_read=False).scatter([0, 2, 3, 4], x)
    places = places.write(1, td.reduce_sum(x, 0))
    return td.concat([parts.concat() ** 2, parts.read(1), places.gather([1, 2])], 0)


def calls(x: Any, y: Any) -> Any:
    """Nests branches and loops in each other, with tensors from all around."""

    def inner(i: Any, z: Any) -> Any:
        taken = td.cond(td.equal(i % 2, 0), lambda: z * td.sin(x), lambda: td.exp(-z) * y)
        return td.cond(
            i < 9, lambda: loop(i + 1, lambda j, q: (j + 1, q * taken + y), z), lambda: x
        )

    return loop(3, lambda i, z: (i + 1, inner(i, z)), x)


Case = tuple[list[tuple[int, ...]], "Callable[..., Any]"]
CASES: dict[str, Case] = {
    "invariant": ([(2, 3), (3,)], lambda x, y: loop(3, lambda i, z: (i + 1, z * y + td.sin(z)), x)),
    # TensorFlow 2.21 gets the gradient of variables that change places wrong.
    "swapped": ([(2,), (2,)], lambda x, y: loop(3, lambda i, a, b: (i + 1, b, a * b), x, y)),
    "twice": ([(2,)], lambda x: loop(2, lambda i, a, b: (i + 1, a * b, a * b), x, x)),
    "downwards": (
        [(4, 2)],
        lambda x: td.while_loop(
            lambda i, _: i >= 0,
            lambda i, y: (i - 2, y * x[i] + td.cast(i, F) * y),
            [td.shape(x)[0] - 1, td.ones([2], F)],
        )[1],
    ),
    "without_a_counter": (
        [(2,)],
        lambda x: td.while_loop(
            lambda y: td.reduce_sum(y) < 2.0, lambda y: [y * (1.0 + x**2)], [x]
        ),
    ),
    "never": ([(2,), (2,)], lambda x, y: loop(0, lambda i, z: (i + 1, z * y), x) * y),
    "grown": ([(2, 2)], grown),
    "slices": (
        [(3, 2)],
        lambda x: loop(
            td.shape(x)[0], lambda i, y: (i + 1, y * td.gather(x, [i, 0])), td.ones([2, 2], F)
        ),
    ),
    "map_fn": ([(3, 2)], lambda x: td.map_fn(lambda row: td.sin(row) * row[0], x)),
    "scan": ([(3, 2)], lambda x: td.scan(lambda total, row: total * row + td.cos(row), x)),
    "foldr": ([(3, 2)], lambda x: td.foldr(lambda total, row: total * row + row, x)),
    "cond": ([(2,), (2,)], lambda x, y: td.cond(x[0] < 9.0, lambda: td.sin(x) * y, lambda: x)),
    "cond_other": (
        [(2,), (2,)],
        lambda x, y: td.cond(x[0] > 9.0, lambda: x * y, lambda: td.tanh(x)),
    ),
    "cond_gather": (
        [(3, 2)],
        lambda x: td.cond(x[0, 0] < 9.0, lambda: td.gather(x, [1, 1]) ** 2, lambda: x[:2]),
    ),
    "switch_case": (
        [(2,)],
        lambda x: td.switch_case(
            td.cast(x[0] * 0.0, td.int32) + 1, [lambda: x, lambda: x**3, lambda: td.exp(x)]
        ),
    ),
    "nested": ([(2,), (2,)], calls),
    "listed": ([(3, 2)], listed),
    "rearranged": ([(3, 2)], rearranged),
    "arrays": ([(3, 2)], arrays),
    "parts_of_arrays": ([(4, 2)], parts_of_arrays),
}


def differences(session: td.Session, y: Any, x: Any, feeds: dict[Any, Any]) -> np.ndarray:
    """The derivatives of a scalar, by central differences."""
    found: np.ndarray = np.zeros_like(feeds[x])
    for place in np.ndindex(found.shape):
        here = feeds[x][place]
        ends = []
        for step in (STEP, -STEP):
            feeds[x][place] = here + step
            ends.append(session.run(y, feeds))
        feeds[x][place] = here
        found[place] = (ends[0] - ends[1]) / (2 * STEP)
    return found


def check(function: Callable[..., Any], shapes: list[tuple[int, ...]], known: bool) -> None:
    """First and second derivatives agree with finite differences."""
    random = np.random.RandomState(1)
    with td.Graph().as_default(), td.Session() as session:
        xs = [td.placeholder(F, shape if known else [None] * len(shape)) for shape in shapes]
        feeds = {x: random.uniform(0.3, 1.1, shape) for x, shape in zip(xs, shapes, strict=True)}
        y = function(*xs)
        total = td.reduce_sum(td.convert_to_tensor(y) ** 2)
        for _ in range(2):
            gradients = [td.convert_to_tensor(item) for item in td.gradients(total, xs)]
            for x, gradient in zip(xs, gradients, strict=True):
                found = session.run(gradient, feeds)
                wanted = differences(session, total, x, feeds)
                assert found.shape == feeds[x].shape
                assert gradient.shape.is_compatible_with(found.shape)
                assert not known or gradient.shape.is_fully_defined()
                np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
            # By its logarithm nearly: of a wave of something large, differences are meaningless.
            total = td.add_n([td.reduce_sum(td.asinh(gradient)) for gradient in gradients])


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_gradients_agree_with_differences(name: str, known: bool) -> None:
    shapes, function = CASES[name]
    check(function, shapes, known)


STEPS: dict[str, Callable[..., Any]] = {
    "product": lambda i, a, b: (a * b, b),
    "swap": lambda i, a, b: (b, a),
    "sine": lambda i, a, b: (td.sin(a) + b, b),
    "shared": lambda i, a, b: (td.tanh(a * b), td.tanh(a * b)),
    "count": lambda i, a, b: (a * td.cast(i + 1, F), td.tanh(b)),
    "branch": lambda i, a, b: (td.cond(td.equal(i % 2, 0), lambda: a * b, lambda: td.sin(b)), b),
    "rows": lambda i, a, b: (a[::-1] * td.gather(b, [i % 2, 0]), td.tanh(b)),
    "turns": lambda i, a, b: (loop(i, lambda j, q: (j + 1, td.sin(q) * b), a), b),
}


@examples(10, deadline=None)
@given(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=3), st.integers(0, 3))
def test_loops_of_any_steps_agree_with_differences(steps: list[str], rounds: int) -> None:
    def body(i: Any, a: Any, b: Any) -> Any:
        for step in steps:
            a, b = STEPS[step](i, a, b)
        return i + 1, a, b

    def function(x: Any, y: Any) -> Any:
        _, a, b = td.while_loop(lambda i, *_: i < rounds, body, [0, x, y])
        return a + b

    check(function, [(2,), (2,)], known=True)


@pytest.mark.parametrize("use_resource", [False, True])
def test_gradients_inside_of_a_body(use_resource: bool) -> None:
    """A step down the gradient in each round, and the gradient of what that gives."""
    with td.Graph().as_default(), td.Session() as session:
        w: Any = td.Variable([[2.0]], use_resource=use_resource)

        def adapted(x: Any) -> Any:
            loss = td.reduce_sum(td.square(td.matmul(x, w)))
            [slope] = td.gradients(loss, [w])
            return loss + td.reduce_sum(td.square(w - 0.1 * slope))

        losses = td.map_fn(adapted, td.constant([[[1.0]], [[3.0]]]))
        [slope] = td.gradients(losses, [w])
        session.run(td.global_variables_initializer())
        # The values of TensorFlow 2.21: w²x² + w²(1 - 0.2 x²)² and what it grows by.
        np.testing.assert_allclose(session.run(losses), [6.56, 38.56], rtol=1e-6)
        np.testing.assert_allclose(session.run(slope), [[45.12]], rtol=1e-6)


@pytest.mark.parametrize("use_resource", [False, True])
def test_variables_that_a_loop_reads(use_resource: bool) -> None:
    with td.Graph().as_default(), td.Session() as session:
        w = td.get_variable("w", initializer=3.0, use_resource=use_resource)
        n = td.placeholder(td.int32, [])
        y = td.while_loop(lambda i, _: i < n, lambda i, y: (i + 1, y * w), [0, 2.0])[1]
        gradient = td.gradients(y, w)[0]
        session.run(td.global_variables_initializer())
        assert session.run(gradient, {n: 3}) == 2.0 * 3 * 3.0**2
        assert session.run(gradient, {n: 0}) == 0.0
        assert gradient.shape.as_list() == []


def test_a_variable_that_the_loop_changes_was_what_it_was() -> None:
    with td.Graph().as_default(), td.Session() as session:
        w = td.Variable(1.0)
        x = td.placeholder(td.float32, [])

        def body(i: Any, y: Any) -> Any:
            with td.control_dependencies([td.assign_add(w, 1.0)]):
                return i + 1, y * x * w.read_value()

        y = td.while_loop(lambda i, _: i < 3, body, [0, x])[1]
        session.run(td.global_variables_initializer())
        assert session.run([y, td.gradients(y, x)[0]], {x: 2.0}) == [384.0, 768.0]
        assert session.run(w) == 4.0


def test_sizes_are_as_precise_as_those_of_the_inputs() -> None:
    with td.Graph().as_default():
        x = td.placeholder(td.float32, [None, None, 3])
        h = td.zeros([td.shape(x)[1], 3])
        step = lambda i, h: (i + 1, td.tanh(h + td.gather(x, i)))  # noqa: E731
        y = td.while_loop(lambda i, _: i < td.shape(x)[0], step, [0, h])[1]
        assert td.gradients(y, x)[0].shape.sizes == x.shape.sizes
        assert td.gradients(td.gradients(y, x)[0], x)[0].shape.sizes == x.shape.sizes


def test_jacobians_and_the_like_pass_through_loops() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float64, [3])
        y = td.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, y * x), [0, x])[1]
        feeds = {x: [1.0, 2.0, 3.0]}
        assert session.run(td.jacobian(y, x), feeds).tolist() == np.diag([3.0, 12.0, 27.0]).tolist()
        hessian = td.hessians(td.reduce_sum(y), x)[0]
        assert session.run(hessian, feeds).tolist() == np.diag([6.0, 12.0, 18.0]).tolist()
        change = td.jvp(y, x, td.constant([1.0, 2.0, 3.0], td.float64))
        assert session.run(change, feeds).tolist() == [3.0, 24.0, 81.0]
        assert td.test.compute_gradient_error(x, [3], y, [3]) < 1e-5


def test_gradients_inside_of_a_loop_have_gradients() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float64, [])

        def descend(i: Any, w: Any) -> Any:
            return i + 1, w - 0.1 * td.gradients((w * w - x) ** 2, w)[0]

        w = td.while_loop(lambda i, _: i < 200, descend, [0, td.constant(1.0, td.float64)])[1]
        root, slope = session.run([w, td.gradients(w, x)[0]], {x: 2.0})
        assert root == pytest.approx(2.0**0.5)
        assert slope == pytest.approx(0.5 / 2.0**0.5)


def test_a_loop_without_a_gradient_gives_none() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.constant(2.0)

        def looped(step: Any) -> Any:
            return td.while_loop(lambda i, _: i < 3, lambda i, h: (i + 1, step(h)), [0, 1.0])

        assert td.gradients(looped(lambda h: h * 2.0), [x]) == [None]
        assert td.gradients(looped(lambda h: td.stop_gradient(h * x)), [x]) == [None]
        number, power = looped(lambda h: h * x)
        assert td.gradients(number, [x]) == [None]
        both = td.gradients([number, power], [x, td.constant(1.0)])
        assert both[1] is None
        assert session.run(both[0]) == 12.0
