"""Small integer tensors whose value is known before a run, in sizes that are not known yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.graph.registry import lookup

pytestmark = pytest.mark.usefixtures("graph")
CONCAT_OFFSET = lookup("ConcatOffset")


def known(tensor: td.Tensor) -> str:
    """Known elements of a tensor, as text without spaces."""
    value = tensor.graph.inference.value(tensor)
    return "unknown" if value is None else str(value.tolist()).replace(" ", "")


def sizes(*names: Any) -> Any:
    """The shape of a placeholder with dimensions of these names."""
    return td.shape(td.placeholder(td.float32, names))


PROPAGATED: list[tuple[str, Callable[[], Any], str]] = [
    ("Shape", lambda: sizes("n", 3), "[n,3]"),
    ("ShapeN", lambda: td.shape_n([td.placeholder(td.int8, ["n"])])[0], "[n]"),
    ("Size", lambda: td.size(td.placeholder(td.float32, ["n", 3, "m"])), "3*m*n"),
    ("Rank", lambda: td.rank(td.placeholder(td.float32, ["n", None])), "2"),
    ("Pack", lambda: td.stack([sizes("n")[0], 2, sizes("m")[0]]), "[n,2,m]"),
    ("Pack-axis", lambda: td.stack([sizes("n", 3), [0, 1]], axis=1), "[[n,0],[3,1]]"),
    ("ConcatV2", lambda: td.concat([sizes("n", 2), [5], sizes("m")], 0), "[n,2,5,m]"),
    ("ConcatV2-axis", lambda: td.concat([[sizes("n", 2)], [[5, 6]]], 1), "[[n,2,5,6]]"),
    ("StridedSlice", lambda: sizes("n", 2, "m", 4)[2:0:-1], "[m,2]"),
    ("StridedSlice-shrink", lambda: sizes("n", 2)[0], "n"),
    ("StridedSlice-axis", lambda: sizes("n", 2)[:, td.newaxis], "[[n],[2]]"),
    ("Slice", lambda: td.slice(sizes("n", 2, "m"), [1], [-1]), "[2,m]"),
    ("Gather", lambda: td.gather(sizes("n", 2, "m"), [2, 0]), "[m,n]"),
    ("GatherNd", lambda: td.gather_nd(sizes("n", 2, "m"), [[2], [0]]), "[m,n]"),
    ("Split", lambda: td.split(sizes("n", 2, "m", 4), 2)[1], "[m,4]"),
    ("SplitV", lambda: td.split(sizes("n", 2, "m"), [1, -1])[1], "[2,m]"),
    ("Unpack", lambda: td.unstack(sizes("n", "m"))[1], "m"),
    ("Reshape", lambda: td.reshape(sizes("n", 2, "m", 4), [2, -1]), "[[n,2],[m,4]]"),
    ("ExpandDims", lambda: td.expand_dims(sizes("n", 2), 0), "[[n,2]]"),
    ("Squeeze", lambda: td.squeeze(td.expand_dims(sizes("n", 2), 0)), "[n,2]"),
    ("Cast", lambda: td.cast(sizes("n", 2), td.int64), "[n,2]"),
    ("Identity", lambda: td.identity(sizes("n")), "[n]"),
    ("Add", lambda: sizes("n", 2) + sizes("m", 1), "[m+n,3]"),
    ("Sub", lambda: sizes("n", 2) - 1, "[n-1,1]"),
    ("Mul", lambda: sizes("n", 2) * sizes("m", "m"), "[m*n,2*m]"),
    ("FloorDiv", lambda: td.floordiv(6 * sizes("n"), 3), "[2*n]"),
    ("FloorMod", lambda: td.floormod(6 * sizes("n") + 1, 3), "[1]"),
    ("TruncateDiv", lambda: td.truncatediv(sizes("n"), 2), "[n//2]"),
    ("Neg", lambda: -sizes("n"), "[-n]"),
    ("Abs", lambda: abs(sizes("n")), "[n]"),
    ("Square", lambda: td.square(sizes("n")), "[n**2]"),
    ("AddN", lambda: td.add_n([sizes("n"), sizes("m"), sizes("n")]), "[m+2*n]"),
    ("Minimum", lambda: td.minimum(sizes("n", 2), 5), "[min(n,5),2]"),
    ("Maximum", lambda: td.maximum(sizes("n") - 2, 0), "[max(n-2,0)]"),
    ("Range", lambda: td.range(td.rank(td.placeholder(td.int8, [None, 2]))), "[0,1]"),
    ("Range-symbol", lambda: td.range(sizes("n")[0], sizes("n")[0] + 3), "[n,n+1,n+2]"),
    ("Fill", lambda: td.fill([2], sizes("n")[0]), "[n,n]"),
    ("ZerosLike", lambda: td.zeros_like(sizes("n", 2)), "[0,0]"),
    ("Prod", lambda: td.reduce_prod(sizes("n", 2, "m")), "2*m*n"),
    ("Sum", lambda: td.reduce_sum([sizes("n", 2), sizes("m", 3)], 0), "[m+n,5]"),
    ("Max", lambda: td.reduce_max(sizes("n", 2)), "max(n,2)"),
    ("Cumprod", lambda: td.cumprod(sizes("n", 2, "m"), reverse=True), "[2*m*n,2*m,m]"),
    ("ReverseV2", lambda: td.reverse(sizes("n", 2), [0]), "[2,n]"),
    ("Transpose", lambda: td.transpose([sizes("n", 2)]), "[[n],[2]]"),
    ("Tile", lambda: td.tile(sizes("n"), [2]), "[n,n]"),
    ("Pad", lambda: td.pad(sizes("n", 2), [[1, 0]]), "[0,n,2]"),
    ("Select", lambda: td.where([True, False], sizes("n", 2), sizes("m", 3)), "[n,3]"),
    ("SelectV2", lambda: td.where_v2(True, sizes("n", 2), sizes("m", 3)), "[n,2]"),
    ("Equal", lambda: td.equal(sizes("n", 2), sizes("n", 3)), "[True,False]"),
    ("NotEqual", lambda: td.not_equal(sizes("n", 2) + 1, sizes("n", 3)), "[True,False]"),
    ("Less", lambda: td.less(sizes("n", 2), sizes("n", 2) + 1), "[True,True]"),
    ("GreaterEqual", lambda: td.greater_equal(sizes("n"), 0), "[True]"),
    ("BroadcastArgs", lambda: td.broadcast_dynamic_shape(sizes("n", 1), sizes("m")), "[n,m]"),
    ("OneHot", lambda: td.one_hot([1], 3, sizes("n")[0], 1), "[[1,n,1]]"),
    ("DynamicStitch", lambda: td.dynamic_stitch([[1], [0]], [sizes("n"), [7]]), "[7,n]"),
    ("ScatterNd", lambda: td.scatter_nd([[1]], sizes("n"), [2]), "[0,n]"),
    ("ConcatOffset", lambda: CONCAT_OFFSET(0, [sizes("n", 2), sizes("m", 2)])[1], "[n,0]"),
]


@pytest.mark.parametrize(
    ("make", "expected"),
    [row[1:] for row in PROPAGATED],
    ids=[row[0] for row in PROPAGATED],
)
def test_values_are_followed_through(make: Callable[[], Any], expected: str) -> None:
    assert known(make()) == expected


# Shapes that are computed in the graph -----------------------------------------------------------


def test_what_is_computed_from_shapes_is_exact() -> None:
    x = td.placeholder(td.float32, ["n", 3, 4])
    y = td.placeholder(td.float32, ["n", "m"])
    assert str(td.reshape(x, td.stack([td.shape(x)[0], -1])).shape) == "(n, 12)"
    assert str(td.reshape(y, [-1]).shape) == "(m*n,)"
    row = td.placeholder(td.float32, [1, 3])
    assert str(td.tile(row, td.concat([td.shape(y)[:1], [1]], 0)).shape) == "(n, 3)"
    assert str(y[:, : td.shape(y)[1] - 2].shape) == "(n, max(m - 2, 0))"
    assert str(td.zeros(td.shape(y) * 2).shape) == "(2*n, 2*m)"
    assert str(td.range(td.size(y)).shape) == "(m*n,)"
    assert str(td.split(y, [1, -1], 1)[1].shape) == "(n, m - 1)"
    assert str(td.pad(y, [[0, 0], [1, 2]]).shape) == "(n, m + 3)"
    assert str(td.broadcast_to(1.0, td.shape(y)).shape) == "(n, m)"


def test_heads_are_split_and_joined_again() -> None:
    x = td.placeholder(td.float32, ["batch", "time", 64])
    batch, time = td.unstack(td.shape(x))[:2]
    heads = td.transpose(td.reshape(x, td.stack([batch, time, 4, 16])), [0, 2, 1, 3])
    assert str(heads.shape) == "(batch, 4, time, 16)"
    scores = td.matmul(heads, heads, transpose_b=True)
    assert str(scores.shape) == "(batch, 4, time, time)"
    joined = td.reshape(td.transpose(heads, [0, 2, 1, 3]), td.stack([batch, time, -1]))
    assert str(joined.shape) == "(batch, time, 64)"


def test_elements_of_a_tensor_of_unknown_rank_that_must_be_a_scalar() -> None:
    some = td.placeholder(td.int32)
    shape = td.stack([some, 3, some])
    assert known(shape) == "[?,3,?]"
    assert shape.graph.inference.value(shape)[0] == shape.graph.inference.value(shape)[2]  # type: ignore[index]
    assert str(td.zeros(shape).shape) == "(?, 3, ?)"
    assert td.stack([td.placeholder(td.int32), td.placeholder(td.int32)]).shape.rank is None
    assert known(td.stack([td.placeholder(td.int32), [1, 2]])) == "[[?,?],[1,2]]"


def test_elements_that_depend_on_the_run_leave_the_others_known() -> None:
    same = td.equal(sizes("n", 2, 3), sizes("m", 2, 4))
    assert known(same) == "[?,True,False]"
    assert known(td.where(same, sizes("n", 2, 3), [7, 8, 9])) == "[?,2,9]"
    assert known(td.where(td.greater(sizes("n", 2), 1), sizes("a", "b"), [1, 1])) == "[?,b]"
    assert known(td.where(td.less(sizes("n"), 2), [5], [5])) == "[5]"
    assert known(td.cast(same, td.int32)) == "[?,1,0]"
    assert known(td.where(td.less(sizes("n"), 2), [0.5], [1.5])) == "unknown"
    assert known(td.where_v2(td.less(sizes("n")[0], 2), [1, 2], [1, 3])) == "[1,?]"


# Where no value can be claimed -------------------------------------------------------------------


def test_numbers_that_may_wrap_around_are_not_claimed() -> None:
    n = sizes("n")
    assert known(n * 2**30) == "[?]"
    assert known(td.cast(n, td.int64) * 2**30) == "[1073741824*n]"
    assert known(td.cast(n, td.uint8)) == "[?]"
    assert known(td.cast(td.minimum(n, 9), td.uint8)) == "[min(n,9)]"
    assert known(td.cast(n, td.uint32) - 2) == "[?]"
    assert known(td.constant([2**31 - 1]) + 1) == "[-2147483648]"


def test_what_is_fed_and_what_is_random_has_no_value() -> None:
    assert known(td.placeholder(td.int32, [2])) == "[?,?]"
    assert known(td.placeholder(td.float32, [2])) == "unknown"
    assert known(td.placeholder(td.int32)) == "unknown"


def test_a_tensor_that_is_updated_in_place_has_no_value_any_more() -> None:
    n = td.identity(sizes("n", 2))
    assert known(n) == "[n,2]"
    updated = td.alias_inplace_add(n, None, [1, 1])
    assert known(updated) == "[?,?]"
    assert known(n) == "[?,?]"
    assert str(td.zeros(n).shape) == "(?, ?)"


def test_a_constant_that_is_fed_does_not_have_its_value_in_that_run() -> None:
    shape = td.constant([2, 3])
    y = td.shape(td.zeros(td.identity(shape)))
    with td.Session() as session:
        assert session.run(y).tolist() == [2, 3]
        assert session.run(y, {shape: np.array([4, 1], np.int32)}).tolist() == [4, 1]


def test_shapes_of_what_is_picked_out_of_constants_are_known() -> None:
    left, _ = td.setdiff1d(td.constant([1, 2, 2, 3]), td.constant([2]))
    once, _ = td.unique(left)
    places = td.where(once > 1)
    assert left.shape.as_list() == once.shape.as_list() == [None]
    assert known(td.shape(left)) == known(td.shape(once)) == "[2]"
    assert (known(td.size(once)), known(td.rank(places))) == ("2", "2")
    assert [known(sizes) for sizes in td.shape_n([places, places])] == ["[1,1]", "[1,1]"]
    assert td.zeros(td.shape(places)).shape.as_list() == [1, 1]
    fed, _ = td.unique(td.placeholder(td.int32, [4]))
    assert td.zeros(td.shape(fed)).shape.as_list() == [None]


NEGATIVES: list[tuple[Callable[[Any], td.Tensor], list[int | None]]] = [
    (lambda shape: td.reshape(np.ones([2, 2]), shape), [2, 2]),
    (lambda shape: lookup("Empty")(shape, dtype=td.float32, init=True), [None, 2]),
    (lambda shape: lookup("BroadcastTo")(np.ones([2, 2]), shape), [2, 2]),
    (lambda shape: td.scatter_nd([[0], [1]], np.ones([2, 2]), shape), [None, 2]),
    (lambda shape: td.tile(np.ones([2, 2]), shape), [None, 4]),
    (lambda begin: td.slice(np.ones([2, 2]), begin, [1, 1]), [1, 1]),
]


@pytest.mark.parametrize(("make", "expected"), NEGATIVES)
def test_negative_sizes_that_are_packed_are_left_to_the_run(
    make: Callable[[Any], td.Tensor], expected: list[int | None]
) -> None:
    with pytest.raises(ValueError, match="-2"):
        make(td.constant([-2, 2]))
    with pytest.raises(ValueError, match="-2"):
        make(td.concat([[-2], td.placeholder(td.int32, [1])], 0))
    packed = make(td.stack([td.constant(-2), td.constant(2)]))
    assert all(n in (m, None) for n, m in zip(packed.shape.as_list(), expected, strict=True))
    with td.Session() as session, pytest.raises(td.errors.InvalidArgumentError, match="-2"):
        session.run(packed)


def test_a_block_that_is_known_in_part_is_checked_at_the_run() -> None:
    size = td.placeholder(td.int32, [])
    image = np.ones([1, 2, 3, 1])
    for block in (3, -1):
        wrong = td.space_to_batch_nd(image, td.stack([block, size]), [[0, 0], [0, 0]])
        with td.Session() as session, pytest.raises(td.errors.InvalidArgumentError):
            session.run(wrong, {size: 3})
        with pytest.raises(ValueError, match=r"multiple|at least 1"):
            td.space_to_batch_nd(image, [block, 3], [[0, 0], [0, 0]])


def test_ranks_of_fed_arguments_that_are_checked_at_the_run() -> None:
    one = td.placeholder(td.int32, [1])
    axes = td.placeholder(td.int32)
    with td.Session() as session:
        with pytest.raises(td.errors.InvalidArgumentError, match="depth must be a scalar"):
            session.run(td.one_hot([0], one), {one: [2]})
        splits = lookup("SplitV")(np.ones([2]), td.placeholder(td.int32, []), 0, num_split=1)
        with pytest.raises(td.errors.InvalidArgumentError, match="size_splits"):
            session.run(splits, {splits[0].op.inputs[1]: 2})
        # TensorFlow reduces along all the axes of a tensor of any rank.
        total = td.reduce_sum([[1, 2], [3, 4]], axes)
        assert session.run(total, {axes: [[0], [1]]}) == 10
