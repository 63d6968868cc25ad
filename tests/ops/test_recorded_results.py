"""Results at the edges of ops, recorded from TensorFlow 2.21: NaN, infinities, unknown ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Callable

NAN, INF = np.nan, np.inf
LOWEST = float(np.finfo(np.float32).min)


def run(build: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
    with td.Graph().as_default(), td.Session() as session:
        return session.run(build(*arguments, **more))


def fed(build: Callable[..., Any], *arrays: Any, shape: Any = None) -> Any:
    """The result of an op on arrays whose rank is known only in the run."""
    with td.Graph().as_default(), td.Session() as session:
        inputs = [td.placeholder(np.asarray(array).dtype, shape) for array in arrays]
        return session.run(build(*inputs), dict(zip(inputs, arrays, strict=True)))


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("zeta", (INF, 1.0), 1.0),
        ("zeta", (INF, 2.0), 0.0),
        ("zeta", (INF, 0.5), INF),
        ("zeta", (2.0, INF), 0.0),
        ("zeta", (INF, INF), 0.0),
        ("zeta", (INF, -1.5), INF),
        ("zeta", (INF, 0.0), INF),
        ("zeta", (1.0, 1.0), INF),
        ("zeta", (NAN, 1.0), NAN),
        ("zeta", (2.0, NAN), NAN),
        ("polygamma", (INF, 1.0), INF),
        ("polygamma", (1.0, INF), 0.0),
        ("igammac", (INF, INF), 0.0),
        ("igamma", (INF, INF), 0.0),
        ("igammac", (1.0, INF), 0.0),
        ("igammac", (INF, 1.0), 1.0),
        ("igammac", (NAN, INF), NAN),
        ("betainc", (INF, 1.0, 0.5), NAN),
        ("betainc", (1.0, INF, 0.5), NAN),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_functions_at_infinity(
    name: str, arguments: tuple[float, ...], expected: float, dtype: str
) -> None:
    function = getattr(td, name)
    result = run(lambda: function(*[td.constant(x, dtype) for x in arguments]))
    np.testing.assert_array_equal(result, expected)


# The data of a segment, their maximum and minimum. Where segments are in no order, both begin
# with the most that the dtype holds.
SEGMENTS = [
    ([NAN, 1.0], 1.0, 1.0),
    ([1.0, NAN], NAN, NAN),
    ([NAN, NAN], NAN, NAN),
    ([NAN, INF], INF, INF),
    ([-INF, NAN], NAN, NAN),
    ([3.0, 2.0], 3.0, 2.0),
    ([INF, INF], INF, INF),
    ([-INF, -INF], -INF, -INF),
]


@pytest.mark.parametrize(("data", "greatest", "least"), SEGMENTS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "half"])
def test_extrema_of_segments(data: list[float], greatest: float, least: float, dtype: str) -> None:
    def of(function: Any, *number: int) -> Any:
        return run(lambda: function(td.constant([*data, 1.0], dtype), [0, 0, 2], *number))

    most = float(td.as_dtype(dtype).max)
    np.testing.assert_array_equal(of(td.segment_max), [greatest, 0, 1])
    np.testing.assert_array_equal(of(td.segment_min), [least, 0, 1])
    greatest = -most if data == [-INF, -INF] else greatest
    least = most if data == [INF, INF] else least
    np.testing.assert_array_equal(of(td.unsorted_segment_max, 3), [greatest, -most, 1])
    np.testing.assert_array_equal(of(td.unsorted_segment_min, 3), [least, most, 1])


def test_extrema_of_segments_column_by_column() -> None:
    data = np.array([[NAN, 1, -INF], [2, NAN, -INF], [1, 5, -INF]], np.float32)
    assert run(lambda: td.segment_max(data, [0, 0, 0])).tolist() == [[2, 5, -INF]]
    got = run(lambda: td.unsorted_segment_max(data, [0, 0, 0], 1))
    assert got.tolist() == [[2, 5, LOWEST]]


@pytest.mark.parametrize(
    ("values", "ascending", "descending"),
    [
        ([3, NAN, 1, 2], [2, 0, 1, 3], [0, 1, 3, 2]),
        ([NAN, 3, 1], [0, 2, 1], [0, 1, 2]),
        ([3, 1, NAN], [1, 0, 2], [0, 1, 2]),
        ([NAN, 1, NAN, INF, -INF, 0], [0, 1, 2, 4, 5, 3], [0, 1, 2, 3, 5, 4]),
        ([1, NAN, 2, NAN, 0, NAN], [4, 0, 1, 2, 3, 5], [2, 0, 1, 3, 4, 5]),
        ([2, 1, 2, 1, 3, 1], [1, 3, 5, 0, 2, 4], [4, 0, 2, 1, 3, 5]),
    ],
)
def test_order_with_nan(values: Any, ascending: list[int], descending: list[int]) -> None:
    x = np.array(values, np.float32)
    for direction, order in (("ASCENDING", ascending), ("DESCENDING", descending)):
        assert run(td.argsort, x, direction=direction).tolist() == order
        sorted_values = run(td.sort, x, direction=direction)
        np.testing.assert_array_equal(sorted_values, x[order])
        both = run(td.argsort, [[0.0] * len(x), x], direction=direction)
        assert both.tolist() == [[*range(len(x))], order]


@pytest.mark.parametrize(
    ("row", "left", "right"),
    [
        ([1, 2, NAN], [0, 0, 1, 2], [0, 3, 3, 3]),
        ([NAN, 1, 2], [0, 0, 2, 3], [1, 3, 3, 3]),
        ([1, NAN, 3], [0, 0, 1, 1], [2, 3, 2, 3]),
        ([NAN, NAN], [0, 0, 0, 0], [2, 2, 2, 2]),
        ([1, 2, 3], [0, 0, 1, 3], [0, 3, 2, 3]),
    ],
)
def test_searches_with_nan(row: Any, left: list[int], right: list[int]) -> None:
    for side, expected in (("left", left), ("right", right)):
        sought = np.array([0, NAN, 2, 5], np.float32)
        found = run(td.searchsorted, np.array(row, np.float32), sought, side)
        assert found.tolist() == expected


MATRIX = np.array([[3, 1, 2], [0, 5, 4]], np.float32)


def test_sorting_where_the_rank_is_unknown() -> None:
    assert fed(td.sort, MATRIX).tolist() == [[1, 2, 3], [0, 4, 5]]
    assert fed(lambda x: td.sort(x, 0), MATRIX).tolist() == [[0, 1, 2], [3, 5, 4]]
    assert fed(lambda x: td.sort(x, 1, "DESCENDING"), MATRIX).tolist() == [[3, 2, 1], [5, 4, 0]]
    assert fed(lambda x: td.argsort(x, -2), MATRIX).tolist() == [[1, 0, 0], [0, 1, 1]]
    assert fed(lambda x: td.argsort(x, 0), MATRIX[0]).tolist() == [1, 2, 0]
    cube = np.arange(24, 0, -1).reshape(2, 3, 4)
    for axis in (0, 1, 2, -3):
        got = fed(lambda x, a=axis: td.sort(x, a), cube)
        np.testing.assert_array_equal(got, np.sort(cube, axis))
    with pytest.raises(td.errors.InvalidArgumentError):
        fed(lambda x: td.sort(x, 1), MATRIX[0])


def test_searching_where_the_rank_is_unknown() -> None:
    rows = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    sought = np.array([[0, 2, 4], [4, 6, 7]], np.float32)
    assert fed(td.searchsorted, rows, sought).tolist() == [[0, 1, 3], [0, 2, 3]]
    right = fed(lambda a, v: td.searchsorted(a, v, "right"), rows[0], sought[0])
    assert right.tolist() == [0, 2, 3]


@pytest.mark.parametrize("axes", [1, [[1], [0]], [[-1], [0]], [1, 0], np.array([[1], [0]])])
@pytest.mark.parametrize("shapes", [(None, None), ([None, 2], None), (None, [2, None])])
def test_tensordot_where_a_rank_is_unknown(axes: Any, shapes: Any) -> None:
    with td.Graph().as_default(), td.Session() as session:
        a, b = (td.placeholder(td.float32, shape) for shape in shapes)
        product = td.tensordot(a, b, axes)
        assert session.run(product, {a: [[1, 2]], b: [[3], [4]]}).tolist() == [[11]]


def test_tensordot_of_other_axes() -> None:
    assert fed(lambda a, b: td.tensordot(a, b, 0), [1, 2], [3, 4]).tolist() == [[3, 4], [6, 8]]
    a, b = np.arange(24).reshape(2, 3, 4), np.arange(12).reshape(4, 3)
    got = fed(lambda x, y: td.tensordot(x, y, [[1, 2], [1, 0]]), a, b)
    np.testing.assert_array_equal(got, np.tensordot(a, b, ((1, 2), (1, 0))))
    axes = np.array([[1], [0]], np.int32)
    assert fed(td.tensordot, [[1, 2]], [[3], [4]], axes).tolist() == [[11]]


ROWS, CLASSES = [[1, 2, 3], [1, 1, 1]], [[0, 0, 1], [1, 0, 0]]
CROSS_ENTROPY = [
    ([None, 3], [1, None, 3], ROWS, [CLASSES], [0.407606, 1.098612]),
    ([1, None, 3], [None, 3], [CLASSES], ROWS, [[6.308668, 3.654334]]),
    (None, None, [CLASSES], ROWS, [[6.308668, 3.654334]]),
    ([None, 3], [1, 3], ROWS, CLASSES[:1], [0.407606, 1.098612]),
]


@pytest.mark.parametrize("case", CROSS_ENTROPY)
def test_cross_entropy_flattens_both(case: Any) -> None:
    logits_shape, labels_shape, logits, labels, loss = case
    for function in (
        td.nn.softmax_cross_entropy_with_logits,
        td.nn.softmax_cross_entropy_with_logits_v2,
    ):
        with td.Graph().as_default(), td.Session() as session:
            x, y = td.placeholder("float32", logits_shape), td.placeholder("float32", labels_shape)
            got = session.run(function(labels=y, logits=x), {x: logits, y: labels})
            np.testing.assert_allclose(got, loss, rtol=1e-6)


def test_cross_entropies_where_the_rank_is_unknown() -> None:
    logits = np.array([[[1, 2, 3], [1, 1, 1]]], np.float32)
    labels = np.array([[[0, 0, 1], [1, 0, 0]]], np.float32)
    np.testing.assert_allclose(
        fed(lambda x, y: td.nn.softmax_cross_entropy_with_logits_v2(y, x, axis=1), logits, labels),
        fed(
            lambda x, y: td.nn.softmax_cross_entropy_with_logits_v2(y, x),
            logits.swapaxes(1, 2),
            labels.swapaxes(1, 2),
        ),
        rtol=1e-6,
    )
    got = fed(
        lambda x, y: td.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x),
        logits,
        np.array([[2, 0]]),
    )
    np.testing.assert_allclose(got, [[0.407606, 1.098612]], rtol=1e-6)


def test_counts_of_bools() -> None:
    assert run(lambda: td.count_nonzero([[True, False], [True, True]], axis=1)).tolist() == [1, 2]
    assert run(lambda: td.count_nonzero([b"a", b""])) == 1
    assert run(lambda: td.count_nonzero(td.constant([1j, 0]))) == 1
    assert run(lambda: td.nn.zero_fraction([True, False, False, False])) == 0.75


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8"])
def test_rounding_of_integers_adds_no_op(dtype: str) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(dtype)
        assert td.round(x, name="rounded") is x
        assert td.add_n([x]) is td.accumulate_n([x]) is x
        assert {op.type for op in graph.get_operations()} == {"Placeholder"}
        assert td.round([1.5]).op.type == "Round"
        with pytest.raises(TypeError, match="bool"):
            td.round([True])


# The stride, the size of the input and the size of the output: None where TensorFlow refuses.
@pytest.mark.parametrize(
    ("stride", "size", "positions"),
    [(1, 2, 0), (1, 1, None), (1, 0, None), (2, 1, 0), (2, 2, 0), (3, 0, 0), (3, 2, 0), (1, 3, 1)],
)
@pytest.mark.parametrize("kind", ["max", "avg", "conv"])
def test_windows_without_positions(
    stride: int, size: int, positions: int | None, kind: str
) -> None:
    def build(x: Any) -> Any:
        strides = [1, stride, 1, 1]
        if kind == "conv":
            return td.nn.conv2d(x, np.ones([3, 1, 1, 1], np.float32), strides, "VALID")
        pool = td.nn.max_pool if kind == "max" else td.nn.avg_pool
        return pool(x, [1, 3, 1, 1], strides, "VALID")

    x = np.zeros([1, size, 4, 1], np.float32)
    if positions is None:
        with pytest.raises(td.errors.InvalidArgumentError, match="the window spans 3"):
            fed(build, x, shape=[1, None, 4, 1])
    else:
        assert fed(build, x, shape=[1, None, 4, 1]).shape == (1, positions, 4, 1)
    if size < 3:
        with td.Graph().as_default(), pytest.raises(ValueError, match="the window spans 3"):
            build(td.placeholder(td.float32, x.shape))


def test_volumes_without_positions() -> None:
    x = np.zeros([1, 2, 3, 3, 1], np.float32)
    for pool in (td.nn.max_pool3d, td.nn.avg_pool3d):
        got = fed(
            lambda x, f=pool: f(x, [1, 3, 3, 3, 1], [1] * 5, "VALID"), x, shape=[1, *[None] * 3, 1]
        )
        assert got.shape == (1, 0, 1, 1, 1)


BAND = np.arange(1, 13).reshape(3, 4)


@pytest.mark.parametrize(
    ("align", "part"),
    [
        ("RIGHT_LEFT", [[99, 3, 8], [2, 7, 12], [1, 6, 11], [5, 10, 99]]),
        ("LEFT_RIGHT", [[3, 8, 99], [2, 7, 12], [1, 6, 11], [99, 5, 10]]),
        ("LEFT_LEFT", [[3, 8, 99], [2, 7, 12], [1, 6, 11], [5, 10, 99]]),
        ("RIGHT_RIGHT", [[99, 3, 8], [2, 7, 12], [1, 6, 11], [99, 5, 10]]),
    ],
)
def test_bands_of_matrices(align: str, part: Any) -> None:
    with td.Graph().as_default(), td.Session() as session:
        taken = td.linalg.diag_part(BAND, k=(-1, 2), align=align, padding_value=99)
        assert taken.op.type == "MatrixDiagPartV3"
        assert session.run(taken).tolist() == part
        made = td.linalg.diag(
            taken, k=(-1, 2), num_rows=3, num_cols=4, align=align, padding_value=7
        )
        assert session.run(made).tolist() == [[1, 2, 3, 7], [5, 6, 7, 8], [7, 10, 11, 12]]
        put = td.linalg.set_diag(BAND, taken * 10, k=(-1, 2), align=align)
        assert session.run(put).tolist() == [
            [10, 20, 30, 4],
            [50, 60, 70, 80],
            [9, 100, 110, 120],
        ]


def test_single_diagonals_of_matrices() -> None:
    assert run(lambda: td.linalg.diag([1, 2], k=1)).tolist() == [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    assert run(lambda: td.matrix_diag([1, 2], k=-1)).tolist() == [[0, 0, 0], [1, 0, 0], [0, 2, 0]]
    assert run(lambda: td.linalg.diag_part([[1, 2], [3, 4]], k=1)).tolist() == [2]
    with td.Graph().as_default():
        assert td.matrix_diag([1, 2]).op.type == "MatrixDiag"
        for arguments in ({"k": 5}, {"k": (1, 0)}, {"align": "X"}):
            with pytest.raises(ValueError, match=r"k|align"):
                td.linalg.diag_part([[1, 2], [3, 4]], **arguments)


def test_masks_for_too_many_dimensions_are_refused() -> None:
    with td.Graph().as_default(), pytest.raises(ValueError, match="at most 8"):
        td.reverse(td.placeholder(td.float32), [False] * 9)
