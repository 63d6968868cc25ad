"""`TensorShape`: laws of merging, compatibility, equality and concatenation."""

from __future__ import annotations

from hypothesis import given, strategies as st

from tensordraft.shape_inference.symbolic.symbolic import dim_symbol
from tensordraft.shape_inference.tensor_shape import TensorShape

BATCH = dim_symbol("batch")
UNKNOWN = TensorShape(None)

sizes = st.one_of(
    st.none(), st.integers(0, 3), st.sampled_from(["batch", "k"]), st.just(2 * BATCH + 1)
)
shapes = st.one_of(st.just(UNKNOWN), st.lists(sizes, max_size=3).map(TensorShape))
full_shapes = st.lists(st.integers(0, 3), max_size=3).map(TensorShape)


def hidden(shape: TensorShape, keep: list[bool]) -> TensorShape:
    kept = [size if k else None for size, k in zip(shape.as_list(), keep, strict=False)]
    return TensorShape(kept + shape.as_list()[len(kept) :])


@given(shapes, shapes)
def test_compatibility_is_symmetric_and_decides_merging(x: TensorShape, y: TensorShape) -> None:
    assert x.is_compatible_with(x)
    assert x.is_compatible_with(y) is y.is_compatible_with(x)
    try:
        merged = x.merge_with(y)
    except ValueError:
        assert not x.is_compatible_with(y)
        return
    assert x.is_compatible_with(y)
    assert merged.is_compatible_with(x)
    assert merged.is_compatible_with(y)
    assert merged.merge_with(x).sizes == merged.sizes
    opposite = y.merge_with(x)
    assert opposite.rank == merged.rank
    if merged.rank is not None:
        assert opposite.as_list() == merged.as_list()


@given(shapes)
def test_merging_with_itself_or_nothing_adds_nothing(shape: TensorShape) -> None:
    assert shape.merge_with(shape).sizes == shape.sizes
    assert shape.merge_with(None).sizes == shape.sizes
    assert UNKNOWN.merge_with(shape).sizes == shape.sizes
    assert shape.most_specific_compatible_shape(shape) == shape


@given(full_shapes, st.lists(st.booleans(), max_size=3), st.lists(st.booleans(), max_size=3))
def test_merging_partial_views_of_one_shape(
    shape: TensorShape, first: list[bool], second: list[bool]
) -> None:
    x, y = hidden(shape, first), hidden(shape, second)
    merged = x.merge_with(y)
    assert merged == y.merge_with(x)
    assert merged.is_compatible_with(shape)
    assert merged.merge_with(shape) == shape
    for size, left, right in zip(merged.as_list(), x.as_list(), y.as_list(), strict=True):
        assert size == (right if left is None else left)


@given(shapes, shapes)
def test_most_specific_compatible_shape_is_symmetric(x: TensorShape, y: TensorShape) -> None:
    common = x.most_specific_compatible_shape(y)
    assert common == y.most_specific_compatible_shape(x)
    assert common.is_compatible_with(x)
    assert common.is_compatible_with(y)


@given(shapes, shapes)
def test_equality_agrees_with_hash(x: TensorShape, y: TensorShape) -> None:
    if x == y:
        assert hash(x) == hash(y)
    assert (x == y) is (y == x)


@given(shapes, shapes, shapes)
def test_concatenation_is_associative(x: TensorShape, y: TensorShape, z: TensorShape) -> None:
    assert (x + y) + z == x + (y + z)
    if x.rank is not None and y.rank is not None:
        assert (x + y)[: x.rank] == x
        assert (x + y)[x.rank :] == y
