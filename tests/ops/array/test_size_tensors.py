"""Dimensions and symbolic sizes wherever a shape or an integer tensor is taken.

What TensorFlow 2.21 takes with known sizes was recorded from it; it refuses open ones in lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Callable

VALUE = np.arange(32, dtype=np.float32).reshape(2, 16)

# What is built of a tensor of shape [n, 16], and its shape where n is 2.
CASES: dict[str, tuple[Callable[[Any], Any], list[int]]] = {
    "reshape beside -1": (lambda x: td.reshape(x, [-1, x.shape[-1]]), [2, 16]),
    "reshape to a product": (lambda x: td.reshape(x, [x.shape[0] * x.shape[1]]), [32]),
    "reshape to a quotient": (lambda x: td.reshape(x, [-1, x.shape[1] // 2]), [4, 8]),
    "reshape to a tuple": (lambda x: td.reshape(x, (x.shape[0], 4, 4)), [2, 4, 4]),
    "reshape to a shape": (lambda x: td.reshape(x, x.shape), [2, 16]),
    "reshape beside a tensor": (lambda x: td.reshape(x, [td.shape(x)[0], x.shape[1]]), [2, 16]),
    "reshape beside an int64": (
        lambda x: td.reshape(x, [x.shape[0], td.shape(x, out_type=td.int64)[1]]),
        [2, 16],
    ),
    "reshape to a joined vector": (
        lambda x: td.reshape(x, td.concat([x.shape[:1], [4], [x.shape[1] // 4]], 0)),
        [2, 4, 4],
    ),
    "zeros": (lambda x: td.zeros([x.shape[0], 3]), [2, 3]),
    "zeros of an expression": (lambda x: td.zeros([x.shape[0] * 2 + 1, 3]), [5, 3]),
    "zeros of a remainder": (lambda x: td.zeros([x.shape[0] // 2, x.shape[0] % 2]), [1, 0]),
    "ones of a shape": (lambda x: td.ones(x.shape), [2, 16]),
    "fill": (lambda x: td.fill([x.shape[0], 3], 1.0), [2, 3]),
    "tile": (lambda x: td.tile(x, [x.shape[0], 1]), [4, 16]),
    "slice": (lambda x: td.slice(x, [0, x.shape[1] - 3], [x.shape[0], 3]), [2, 3]),
    "strided_slice": (
        lambda x: td.strided_slice(x, [0, 0], [x.shape[0], x.shape[1] // 2]),
        [2, 8],
    ),
    "brackets": (lambda x: x[: x.shape[0] - 1, :: x.shape[1] // 4], [1, 4]),
    "truncated_normal": (lambda x: td.truncated_normal([x.shape[0], 2]), [2, 2]),
    "random_uniform": (lambda x: td.random_uniform(x.shape), [2, 16]),
    "random_normal": (lambda x: td.random_normal((x.shape[1], 3)), [16, 3]),
    "random_gamma": (lambda x: td.random_gamma([x.shape[0]], 1.0), [2]),
    "random_poisson": (lambda x: td.random_poisson(1.0, [x.shape[0]]), [2]),
    "random_crop": (lambda x: td.random_crop(x, [1, x.shape[1] // 2]), [1, 8]),
    "dropout": (lambda x: td.nn.dropout(x, 0.5, noise_shape=[x.shape[0], 1]), [2, 16]),
    "expand_dims": (lambda x: td.expand_dims(x, x.shape[0] // 2), [2, 1, 16]),
    "one_hot": (lambda x: td.one_hot([1, 2], x.shape[0]), [2, 2]),
    "range": (lambda x: td.range(x.shape[0]), [2]),
    "eye": (lambda x: td.eye(x.shape[0], x.shape[1] // 4, [x.shape[0]]), [2, 2, 4]),
    "split": (lambda x: td.split(x, [x.shape[1] // 4, 12], 1)[0], [2, 4]),
    "pad": (lambda x: td.pad(x, [[0, 0], [0, x.shape[0]]]), [2, 18]),
    "broadcast_to": (lambda x: td.broadcast_to(x, [3, *x.shape]), [3, 2, 16]),
    "gather": (lambda x: td.gather(x, [x.shape[1] - 1], axis=1), [2, 1]),
    "sequence_mask": (lambda x: td.sequence_mask([1, 3], x.shape[0]), [2, 2]),
    "transpose": (lambda x: td.transpose(x, [x.shape[1] - 15, 0]), [16, 2]),
    "reduce_sum": (lambda x: td.reduce_sum(x, [x.shape[1] - 15]), [2]),
    "conv2d_transpose": (
        lambda x: td.nn.conv2d_transpose(
            td.reshape(x, [-1, 4, 4, 1]), td.ones([2, 2, 1, 1]), [x.shape[0], 8, 8, 1], [1, 2, 2, 1]
        ),
        [2, 8, 8, 1],
    ),
    "resize": (
        lambda x: td.image.resize_bilinear(
            td.reshape(x, [1, 2, 16, 1]), [x.shape[0] * 3, x.shape[1]]
        ),
        [1, 6, 16, 1],
    ),
    "stack": (lambda x: td.zeros(td.stack([x.shape[0], x.shape[1]])), [2, 16]),
    "identity": (lambda x: td.zeros(td.identity([x.shape[0], 3])), [2, 3]),
    "least of sizes": (
        lambda x: td.zeros(td.concat([x[:3], x[:1]], 0).shape),
        [3, 16],
    ),
}


@pytest.mark.parametrize("known", [True, False], ids=["known", "open"])
@pytest.mark.parametrize("name", CASES)
def test_sizes_are_taken(name: str, known: bool) -> None:
    build, expected = CASES[name]
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [2 if known else None, 16])
        y = build(x)
        assert y.shape.is_compatible_with(expected)
        assert y.shape.is_fully_defined() or not known
        assert list(session.run(y, {x: VALUE}).shape) == expected


def test_symbolic_sizes_stay_known_by_name() -> None:
    with td.Graph().as_default():
        x = td.placeholder(td.float32, ["batch", 6])
        assert str(td.zeros([x.shape[0] * 2, 3]).shape) == "(2*batch, 3)"
        assert str(td.reshape(x, [x.shape[0], 2, -1]).shape) == "(batch, 2, 3)"
        assert str(td.zeros(["batch", 3]).shape) == "(batch, 3)"


def test_dtypes_of_sizes() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [None, 16])
        rows, columns = x.shape
        for value, dtype, expected in [
            (columns, None, td.int32),
            ([columns, 3], None, td.int32),
            ([[columns, 3], [4, columns * 2]], "int64", td.int64),
            (rows, "int64", td.int64),
            ([rows, columns], None, td.int32),
            ([[columns, td.shape(x, out_type=td.int64)[0]], [4, rows]], None, td.int64),
            (td.Dimension(2**40), None, td.int64),
            ([td.Dimension(2**40), 1], None, td.int64),
        ]:
            tensor = td.convert_to_tensor(value, dtype)
            assert tensor.dtype is expected
            assert session.run(tensor, {x: VALUE}).dtype == expected.as_numpy_dtype


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda x: td.zeros([td.Dimension(None), 3]), ValueError, "not every size is known"),
        (lambda x: td.zeros(["other", 3]), ValueError, "the shape other to a tensor"),
        (lambda x: td.constant(x.shape[0]), TypeError, "not known before the run"),
        (lambda x: td.constant(x.shape[1], "float32"), TypeError, "expected float32"),
        (lambda x: td.convert_to_tensor([x.shape[1], 3.5]), TypeError, "3.5"),
        (lambda x: td.convert_to_tensor([x.shape[1], "a"]), TypeError, "'a'"),
        (lambda x: x * x.shape[1], TypeError, "not float32"),
        (lambda x: x * x.shape[0], TypeError, "not float32"),
        (lambda x: td.reshape(x, [None, 16]), TypeError, "None"),
    ],
)
def test_sizes_refused(build: Any, error: type[Exception], message: str) -> None:
    with td.Graph().as_default(), pytest.raises(error, match=message):
        build(td.placeholder(td.float32, [None, 16]))


def test_arrays_of_dimensions() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [2, 16])
        assert session.run(td.constant(np.array([x.shape[1], 3]))).tolist() == [16, 3]
        assert session.run(td.constant(x.shape)).tolist() == [2, 16]
