"""Shapes survive the wire, and malformed ones are refused."""

from __future__ import annotations

import operator
from itertools import accumulate, takewhile
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tensordraft.protos.messages import TensorShapeProto
from tensordraft.protos.shape_codec import decode_shape, encode_shape

dims = st.one_of(
    st.none(), st.integers(0, 2**63 - 1), st.text(st.characters(codec="utf-8"), min_size=1)
)


def countable(shape: tuple[int | str | None, ...]) -> bool:
    """Returns whether no product of sizes, up to the first that is unknown, is too large."""
    known = list(takewhile(lambda size: isinstance(size, int), shape))
    return all(product < 2**63 for product in accumulate(known, operator.mul))


@given(st.one_of(st.none(), st.lists(dims).map(tuple).filter(countable)))
def test_shapes_survive_the_wire(shape: tuple[int | str | None, ...] | None) -> None:
    data = encode_shape(shape).SerializeToString()
    assert decode_shape(TensorShapeProto.FromString(data)) == shape


def test_malformed_shape() -> None:
    with pytest.raises(ValueError, match="a shape of unknown rank has 1 dimensions"):
        decode_shape(TensorShapeProto(unknown_rank=True, dim=[{"size": 1}]))
    with pytest.raises(ValueError, match="at most 254 dimensions, got 255"):
        decode_shape(TensorShapeProto(dim=[{"size": 1}] * 255))
    with pytest.raises(ValueError, match=r"2\*\*63 elements or more"):
        decode_shape(TensorShapeProto(dim=[{"size": 2**62}, {"size": 2}]))
    assert decode_shape(TensorShapeProto(dim=[{"size": 0}, {"size": 2**62}, {"size": 8}]))
    with pytest.raises(ValueError, match=r"dim\[1\].size = -2 is below -1"):
        decode_shape(TensorShapeProto(dim=[{"size": 1}, {"size": -2}]))


@pytest.mark.parametrize(
    ("shape", "error", "clause"),
    [
        ([2, -1], ValueError, r"dims\[1\] = -1 is not in \[0, 2\*\*63\)"),
        ([2**63], ValueError, r"dims\[0\] = 9223372036854775808 is not in"),
        ([1.5], TypeError, r"dims\[0\] = 1.5 is not an int, a name or None"),
        ([""], ValueError, r"dims\[0\] is an empty name"),
        (["\ud800"], ValueError, r"dims\[0\] = .* is not valid text"),
    ],
)
def test_shapes_that_the_wire_cannot_carry(
    shape: list[Any], error: type[Exception], clause: str
) -> None:
    with pytest.raises(error, match=clause):
        encode_shape(shape)
