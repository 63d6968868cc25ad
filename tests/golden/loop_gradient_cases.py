"""Functions that branch and loop, differentiated twice: for any library of this interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# By name: the shapes of the inputs, and a function of the library and the inputs.
Case = tuple[list[tuple[int, ...]], Callable[..., Any]]


def _power(tf: Any, x: Any, y: Any) -> Any:
    return tf.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, z * x + tf.sin(y)), [0, x])[1]


def _until(tf: Any, x: Any) -> Any:
    return tf.while_loop(lambda z: tf.reduce_sum(z) < 50.0, lambda z: [z * z + x], [x])


def _rows(tf: Any, x: Any, w: Any) -> Any:
    def body(i: Any, state: Any) -> Any:
        return i + 1, tf.tanh(tf.matmul(state, w) + tf.gather(x, i))

    return tf.while_loop(lambda i, _: i < tf.shape(x)[0], body, [0, tf.ones([1, 2], x.dtype)])[1]


def _nested(tf: Any, x: Any, y: Any) -> Any:
    def inner(i: Any, z: Any) -> Any:
        return tf.while_loop(lambda j, _: j <= i, lambda j, z: (j + 1, tf.sin(z) * y), [0, z])[1]

    return tf.while_loop(lambda i, _: i < 3, lambda i, z: (i + 1, inner(i, z) + x), [0, x])[1]


def _branch_in_loop(tf: Any, x: Any, y: Any) -> Any:
    def chosen(i: Any, z: Any) -> Any:
        return tf.cond(tf.equal(i % 2, 0), lambda: z * tf.sin(x), lambda: tf.exp(-z) * y)

    return tf.while_loop(lambda i, _: i < 4, lambda i, z: (i + 1, chosen(i, z)), [0, x])[1]


def _array(tf: Any, x: Any) -> Any:
    given = tf.TensorArray(tf.float64, 3, clear_after_read=False).unstack(x)

    def body(i: Any, made: Any, total: Any) -> Any:
        row = given.read(i)
        return i + 1, made.write(i, row * total), total + tf.sin(row)

    start = [0, tf.TensorArray(tf.float64, 3), tf.ones([2], tf.float64)]
    _, made, total = tf.while_loop(lambda i, *_: i < 3, body, start)
    return made.stack() + total


CASES: dict[str, Case] = {
    "cond": ([(3,), (3,)], lambda tf, x, y: tf.cond(x[0] > 0.0, lambda: x * y * y, lambda: x)),
    "cond_other": ([(3,), (3,)], lambda tf, x, y: tf.cond(x[0] < 0.0, lambda: x, lambda: x * y)),
    "case": (
        [(3,)],
        lambda tf, x: tf.switch_case(
            tf.cast(x[0] + 1.0, tf.int32), [lambda: x, lambda: x * x * x, lambda: tf.exp(x)]
        ),
    ),
    "power": ([(2,), (2,)], _power),
    "until": ([(2,)], _until),
    "rows": ([(3, 1, 2), (2, 2)], _rows),
    "nested": ([(2,), (2,)], _nested),
    "branch_in_loop": ([(2,), (2,)], _branch_in_loop),
    "never": (
        [(2,), (2,)],
        lambda tf, x, y: tf.while_loop(lambda i, _: i < 0, lambda i, z: (i, z * y), [0, x])[1] + y,
    ),
    "map_fn": ([(3, 2)], lambda tf, x: tf.map_fn(lambda row: tf.sin(row) * row[0], x)),
    "scan": ([(3, 2)], lambda tf, x: tf.scan(lambda total, row: total * row + tf.cos(row), x)),
    "foldl": ([(3, 2)], lambda tf, x: tf.foldl(lambda total, row: total * row + row, x)),
    "foldr": ([(3, 2)], lambda tf, x: tf.foldr(lambda total, row: total * row + row, x)),
    "array": ([(3, 2)], _array),
}


def gradients(library: Any, name: str) -> list[Any]:
    """The result of a case, its gradients, and those of the sines of the gradients."""
    shapes, function = CASES[name]
    random = np.random.RandomState(sum(map(ord, name)))
    xs = [library.constant(random.uniform(0.5, 1.0, shape)) for shape in shapes]
    y = function(library, *xs)
    zero = library.UnconnectedGradients.ZERO
    first: list[Any] = library.gradients(y, xs, unconnected_gradients=zero)
    total = library.add_n([library.reduce_sum(library.sin(item)) for item in first])
    second: list[Any] = library.gradients(total, xs, unconnected_gradients=zero)
    return [y, *first, *second]
