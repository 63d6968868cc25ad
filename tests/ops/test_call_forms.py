"""The call forms of older documents: each test is such a document's own example."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.ops.common import call_forms

tf: Any = td  # type checkers know the present forms only

T1 = [[1, 2, 3], [4, 5, 6]]
T2 = [[7, 8, 9], [10, 11, 12]]
T = np.arange(24, dtype=np.int32).reshape(1, 2, 3, 4)


@pytest.fixture(autouse=True)
def _fresh_graph() -> Iterator[None]:
    with tf.Graph().as_default(), tf.Session():
        yield


@pytest.fixture(autouse=True)
def _fresh_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_forms, "_warned", set())


def value(tensor: Any) -> Any:
    return tensor.eval().tolist()


def warns(match: str) -> Any:
    return pytest.warns(DeprecationWarning, match=match)


# concat with concat_dim first


def test_concat_with_the_dimension_first() -> None:
    with warns(r"write td\.concat\(values, axis\)"):
        assert value(tf.concat(0, [T1, T2])) == [*T1, *T2]
    assert value(tf.concat(1, [T1, T2])) == [[1, 2, 3, 7, 8, 9], [4, 5, 6, 10, 11, 12]]
    assert value(tf.concat(tf.constant(0), [T1, T2], name="joined")) == [*T1, *T2]
    assert value(tf.concat(np.int32(0), [T1, T2], "joined")) == [*T1, *T2]
    assert value(tf.concat(concat_dim=0, values=[T1, T2])) == [*T1, *T2]
    t3, t4 = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [2, 3])
    assert tf.concat(0, [t3, t4]).shape.as_list() == [4, 3]
    assert tf.concat(1, [t3, t4]).shape.as_list() == [2, 6]
    assert tf.get_default_graph().get_operation_by_name("joined").type == "ConcatV2"


def test_concat_with_the_values_first() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert value(tf.concat([T1, T2], 0)) == [*T1, *T2]
        assert value(tf.concat(values=[T1, T2], axis=0)) == [*T1, *T2]
        assert value(tf.concat_v2([T1, T2], 1)) == [[1, 2, 3, 7, 8, 9], [4, 5, 6, 10, 11, 12]]


def test_a_dimension_may_not_be_given_twice() -> None:
    with warns("concat"), pytest.raises(ValueError, match="both concat_dim and axis"):
        tf.concat(concat_dim=0, values=[T1, T2], axis=1)


# split with split_dim first


def test_split_with_the_dimension_first() -> None:
    old = tf.placeholder(tf.float32, [5, 30])
    for parts in (
        tf.split(1, 3, old),
        tf.split(tf.constant(1), 3, old, "parts"),
        tf.split(split_dim=1, num_split=3, value=old),
        tf.split(old, num_or_size_splits=3, axis=1),
    ):
        assert [part.shape.as_list() for part in parts] == [[5, 10]] * 3
    sizes = [part.shape.as_list() for part in tf.split(old, [4, 15, 11], 1)]
    assert sizes == [[5, 4], [5, 15], [5, 11]]
    assert tf.get_default_graph().get_operation_by_name("parts").type == "Split"


def test_split_and_squeeze_are_unstack() -> None:
    t = tf.constant(T1)
    parts = [tf.squeeze(part, [0]) for part in tf.split(0, 2, t)]
    with warns("unpack"):
        assert [value(part) for part in parts] == [value(part) for part in tf.unpack(t, axis=0)]


# reverse with a bool vector


@pytest.mark.parametrize("axis", [3, 1, 2])
def test_reverse_with_a_bool_for_each_dimension(axis: int) -> None:
    dims = [i == axis for i in range(4)]
    expected = np.flip(T, axis).tolist()
    for reversed_ in (
        tf.reverse(T, dims),
        tf.reverse(T, tf.constant(dims)),
        tf.reverse(tensor=T, dims=dims),
        tf.reverse(T, [axis]),
        tf.reverse(T, axis - 4),
        tf.reverse_v2(T, [axis]),
    ):
        assert value(reversed_) == expected
    assert tf.reverse(T, dims).op.type == "Reverse"
    assert tf.reverse(T, [axis]).op.type == "ReverseV2"


# squeeze_dims, dim, seq_dim, batch_dim


def test_squeeze_dims() -> None:
    t = tf.placeholder(tf.float32, [1, 2, 1, 3, 1, 1])
    for squeezed in (
        tf.squeeze(t, [2, 4]),
        tf.squeeze(t, squeeze_dims=[2, 4]),
        tf.squeeze(t, None, None, [2, 4]),
    ):
        assert squeezed.shape.as_list() == [1, 2, 3, 1]
    assert tf.squeeze(t, squeeze_dims=None).shape.as_list() == [2, 3]
    with pytest.raises(ValueError, match="both axis and squeeze_dims"):
        tf.squeeze(t, [2], squeeze_dims=[2])


def test_the_dim_of_expand_dims() -> None:
    t = tf.placeholder(tf.float32, [2])
    assert tf.expand_dims(t, dim=0).shape.as_list() == [1, 2]
    assert tf.expand_dims(t, 1).shape.as_list() == [2, 1]
    with pytest.raises(ValueError, match="both axis and dim"):
        tf.expand_dims(t, 0, dim=0)


def test_seq_dim_and_batch_dim() -> None:
    x = np.arange(64, dtype=np.int32).reshape(4, 8, 2)
    lengths = [7, 2, 3, 5]
    expected = value(tf.reverse_sequence(x, lengths, seq_axis=1, batch_axis=0))
    assert expected[0][:7] == x[0, :7][::-1].tolist()
    assert expected[3][5:] == x[3, 5:].tolist()  # one document prints `3, 2:`
    for result in (
        tf.reverse_sequence(x, lengths, 1),
        tf.reverse_sequence(x, lengths, 1, 0),
        tf.reverse_sequence(x, lengths, seq_dim=1, batch_dim=0),
        tf.reverse_sequence(x, lengths, 1, "named"),
        tf.reverse_sequence(x, lengths, None, None, None, 1, 0),
    ):
        assert value(result) == expected
    turned = tf.reverse_sequence(x.transpose(1, 2, 0), lengths, seq_dim=0, batch_dim=2)
    assert np.array(value(turned)).transpose(2, 0, 1).tolist() == expected
    assert tf.get_default_graph().get_operation_by_name("named").type == "ReverseSequence"
    with pytest.raises(ValueError, match="both seq_axis and seq_dim"):
        tf.reverse_sequence(x, lengths, seq_axis=1, seq_dim=1)


# pad, pack and unpack with a name where there is a mode or an axis today


def test_pad_without_a_mode() -> None:
    padded = tf.pad(input=[[1, 2, 3]], paddings=[[1, 0], [0, 2]], name="padded")
    assert value(padded) == [[0, 0, 0, 0, 0], [1, 2, 3, 0, 0]]
    assert padded.op.name == "padded"
    with pytest.raises(ValueError, match="a name is given as name="):
        tf.pad([1], [[1, 1]], "padded")  # distinguished from a mode only by a guess


def test_pack_and_unpack_without_an_axis() -> None:
    with warns(r"pack is deprecated: write td\.stack\(values, axis\)"):
        packed = tf.pack([[1, 4], [2, 5], [3, 6]], "packed")
    assert value(packed) == [[1, 4], [2, 5], [3, 6]]
    assert packed.op.name == "packed"
    assert value(tf.pack([[1, 4], [2, 5], [3, 6]], axis=1)) == [[1, 2, 3], [4, 5, 6]]
    with warns(r"unpack is deprecated: write td\.unstack\(value, num, axis\)"):
        parts = tf.unpack(packed, 3, "parts")
    assert [value(part) for part in parts] == [[1, 4], [2, 5], [3, 6]]
    assert parts[0].op.name == "parts"
    assert [value(part) for part in tf.unpack(packed, axis=1)] == [[1, 2, 3], [4, 5, 6]]


def test_deprecated_functions_warn_once() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            tf.pack([1, 2])
            tf.concat(0, [[1], [2]])
    assert len(caught) == 2
    assert {warning.filename for warning in caught} == {__file__}


def test_extract_image_patches_with_the_padding_second() -> None:
    images = tf.placeholder(tf.float32, [1, 10, 10, 3])
    sizes = [1, 3, 3, 1], [1, 5, 5, 1], [1, 1, 1, 1]
    named = dict(zip(("ksizes", "strides", "rates"), sizes, strict=True))
    newest = tf.extract_image_patches(images, *sizes, "VALID")
    for patches in (
        tf.extract_image_patches(images, "VALID", *sizes),
        tf.extract_image_patches(images, "VALID", **named),
    ):
        assert patches.shape.as_list() == newest.shape.as_list() == [1, 2, 2, 27]
        assert patches.op.attrs == newest.op.attrs


def test_too_many_arguments_are_refused_as_python_does() -> None:
    with pytest.raises(TypeError, match="5 positional arguments"):
        tf.split(0, 2, [1, 2], "name", 4)


def test_an_older_form_leaves_the_present_signature_to_tools() -> None:
    names = inspect.unwrap(tf.split).__code__.co_varnames[:5]
    assert names == ("value", "num_or_size_splits", "axis", "num", "name")


# range and shape_n with the name in the place of the dtype


def test_range_with_the_name_last() -> None:
    steps = tf.range(0, 5, 2, "steps")
    assert (steps.op.name, value(steps)) == ("steps", [0, 2, 4])
    assert value(tf.range(0, 5, 2, name="more")) == [0, 2, 4]
    assert tf.range(0, 5, 2, "int64").dtype is td.int64
    assert tf.range(0, 5, 2, tf.float32, "floats").op.name == "floats"


def test_shape_n_with_the_name_last() -> None:
    first, second = tf.shape_n([[1, 2], [[3]]], "sizes")
    assert (first.op.name, value(second)) == ("sizes", [1, 1])
    assert tf.shape_n([[1, 2]], tf.int64)[0].dtype is td.int64
    assert tf.shape_n([[1, 2]], "int64", "long")[0].op.name == "long"
