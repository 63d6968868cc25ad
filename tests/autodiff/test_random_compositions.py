"""Random compositions of differentiable ops: their gradients against central differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from effort import examples
from hypothesis import given, strategies as st

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Callable

# All are smooth and map values near 1 to values near 1, so that differences approximate their
# derivatives.
UNARY: dict[str, Callable[[Any], Any]] = {
    "tanh": td.tanh,
    "sigmoid": td.sigmoid,
    "sin": td.sin,
    "square": lambda x: td.square(td.tanh(x)),
    "exp": lambda x: td.exp(-td.square(x)),
    "log": lambda x: td.log(1.5 + td.square(x)),
    "sqrt": lambda x: td.sqrt(1.0 + td.square(x)),
    "softplus": td.nn.softplus,
    "softmax": lambda x: td.nn.softmax(3.0 * x),
    "sum": lambda x: td.tanh(td.reduce_sum(x, 0, keep_dims=True)),
    "mean": lambda x: td.reduce_mean(x, 1, keep_dims=True) + x,
    "norm": lambda x: x / td.sqrt(1.0 + td.reduce_sum(td.square(x), [0, 1])),
    "prod": lambda x: td.reduce_prod(td.tanh(x), 1, keep_dims=True),
    "reverse": lambda x: td.reverse(x, [0]) * x,
    "gather": lambda x: td.gather(x, [0, 0, 0]),
    "first": lambda x: x[:1] + x,
    "columns": lambda x: td.concat([x[:, 1:], x[:, :1]], 1),
    "pad": lambda x: td.pad(x, [[1, 0], [0, 0]])[:-1],
    "cumsum": lambda x: td.tanh(td.cumsum(x, 1)),
    "transpose": lambda x: td.tanh(td.matmul(x, td.matmul(x, x, transpose_a=True))),
    "reshape": lambda x: td.reshape(td.reshape(x, [-1]) * 0.5, td.shape(x)),
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / (1.5 + td.square(y)),
    "power": lambda x, y: td.pow(1.5 + td.tanh(x), td.tanh(y)),
    "matmul": lambda x, y: td.tanh(td.matmul(td.matmul(x, y, transpose_b=True), y)),
    "where": lambda x, y: td.where(td.zeros_like(x + y) < 1.0, x + y, x * y),
}
# A row of three, a column of three, a square: all of them broadcast against each other.
SHAPES = [(1, 3), (3, 1), (3, 3)]
STEP = 1e-5


def full(x: Any) -> Any:
    """`x` as a matrix of 3 x 3, the shape that every step takes."""
    return x + td.zeros([3, 3], x.dtype)


@st.composite
def programs(draw: st.DrawFn) -> list[tuple[str, int, int]]:
    """Steps, each of which takes one or two of the values before it."""
    names = st.sampled_from([*UNARY, *BINARY])
    count = draw(st.integers(1, 6))
    return [
        (draw(names), draw(st.integers(0, 1 + i)), draw(st.integers(0, 1 + i)))
        for i in range(count)
    ]


def built(program: list[tuple[str, int, int]], inputs: list[Any]) -> Any:
    values = list(inputs)
    for name, first, second in program:
        x, y = values[first], values[second]
        if name in BINARY:
            fits = name != "matmul"
            values.append(BINARY[name](x, y) if fits else BINARY[name](full(x), full(y)))
        else:
            values.append(UNARY[name](full(x)))
    return td.reduce_sum(td.tanh(values[-1])) + td.reduce_mean(values[-1])


def central_differences(function: Callable[..., Any], arrays: list[np.ndarray]) -> list[np.ndarray]:
    """Derivatives of `function` with respect to each element of each array."""
    found = [np.zeros_like(array) for array in arrays]
    for array, slopes in zip(arrays, found, strict=True):
        for index in np.ndindex(array.shape):
            middle = array[index]
            array[index] = middle + STEP
            above = function(*arrays)
            array[index] = middle - STEP
            below = function(*arrays)
            array[index] = middle
            slopes[index] = (above - below) / (2 * STEP)
    return found


@examples(60, derandomize=True, deadline=None)
@given(
    programs(),
    st.lists(st.sampled_from(SHAPES), min_size=2, max_size=2),
    st.lists(st.booleans(), min_size=4, max_size=4),
    st.integers(0, 2**16),
)
def test_gradients_are_what_differences_tell(
    program: list[tuple[str, int, int]],
    shapes: list[tuple[int, int]],
    known: list[bool],
    seed: int,
) -> None:
    random = np.random.RandomState(seed)
    arrays = [random.uniform(-1, 1, shape) for shape in shapes]
    with td.Graph().as_default() as graph:
        stated = [
            [size if tells else None for size, tells in zip(shape, known[2 * i :], strict=False)]
            for i, shape in enumerate(shapes)
        ]
        inputs = [td.placeholder(td.float64, shape) for shape in stated]
        y = built(program, inputs)
        found = td.gradients(y, inputs, unconnected_gradients=td.UnconnectedGradients.ZERO)
        with td.Session(graph=graph) as session:
            results = session.run(found, dict(zip(inputs, arrays, strict=True)))
            differences = central_differences(session.make_callable(y, inputs), arrays)
    for array, result, difference in zip(arrays, results, differences, strict=True):
        assert result.shape == array.shape
        np.testing.assert_allclose(result, difference, rtol=1e-5, atol=1e-7)
