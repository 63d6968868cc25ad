"""Selection by bit masks equals `np.where`, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.ops.common.select_elements import chosen

MANY = 3_000
SHAPES = [((MANY,),) * 3, ((MANY, 1), (1, 5), ()), ((4, MANY), (), (MANY,))]
DTYPES = [np.float32, np.float64, np.float16, np.int8, np.int32, np.uint64, np.bool_]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shapes", [((MANY,),) * 3, ((MANY, 1), (1, 5), ()), ((4, MANY), (), (MANY,))]
)
def test_bits(dtype: Any, shapes: tuple[tuple[int, ...], ...]) -> None:
    random = np.random.default_rng(0)
    condition = random.random(shapes[0]) < 0.5
    t, e = (random.normal(0, 50, shape).astype(dtype) for shape in shapes[1:])
    if np.dtype(dtype).kind == "f" and t.ndim:
        t.ravel()[:4] = np.nan, -0.0, np.inf, -np.inf
    result = chosen(condition, t, e)
    assert result.dtype == dtype
    assert result.tobytes() == np.where(condition, t, e).tobytes()


def test_views_of_any_strides() -> None:
    x = np.arange(4.0 * MANY).reshape(MANY, 4)
    condition = (np.arange(MANY * 2) % 3 == 0)[::2]
    np.testing.assert_array_equal(
        chosen(condition, x[:, 1], x[::-1, 2]), np.where(condition, x[:, 1], x[::-1, 2])
    )


def test_strings_and_complex_numbers() -> None:
    with td.Graph().as_default(), td.Session() as session:
        flags = np.arange(MANY) % 2 == 0
        for x in (np.array([b"a", b"b"] * (MANY // 2), object), np.full(MANY, 1 + 2j)):
            got = session.run(td.where(flags, td.constant(x), td.constant(x[::-1])))
            np.testing.assert_array_equal(got, np.where(flags, x, x[::-1]))


@pytest.mark.parametrize("activation", ["elu", "selu", "leaky_relu", "softplus"])
def test_activations_of_many(activation: str) -> None:
    """In blocks, and by masks, they are what they are of few elements, bit for bit."""
    x = np.random.default_rng(0).standard_normal(70_000, np.float32)
    x[:4] = np.nan, -0.0, np.inf, -np.inf
    with td.Graph().as_default(), td.Session() as session:
        few = td.placeholder(td.float32, [100])
        function = getattr(td.nn, activation)
        [gradient] = td.gradients(function(few), few)
        of_few = [
            session.run([function(few), gradient], {few: part}) for part in x.reshape(-1, 100)
        ]
        many = td.placeholder(td.float32, x.shape)
        [gradient] = td.gradients(function(many), many)
        result = session.run([function(many), gradient], {many: x})
    for whole, parts in zip(result, zip(*of_few, strict=True), strict=True):
        assert whole.tobytes() == np.concatenate(parts).tobytes()
