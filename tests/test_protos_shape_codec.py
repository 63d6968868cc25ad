"""Shapes survive the wire, and malformed ones are refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from tensordraft.protos.messages import TensorShapeProto
from tensordraft.protos.shape_codec import decode_shape, encode_shape

dims = st.one_of(
    st.none(), st.integers(0, 2**63 - 1), st.text(st.characters(codec="utf-8"), min_size=1)
)


@given(st.one_of(st.none(), st.lists(dims).map(tuple)))
def test_shapes_survive_the_wire(shape: tuple[int | str | None, ...] | None) -> None:
    data = encode_shape(shape).SerializeToString()
    assert decode_shape(TensorShapeProto.FromString(data)) == shape


def test_malformed_shape() -> None:
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
