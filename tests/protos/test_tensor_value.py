"""TensorValue: a tensor that decodes when it is asked for, and is written as it was read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from protos_harness import proto

from tensordraft.protos import dtypes
from tensordraft.protos.dtypes import DType
from tensordraft.protos.tensor_codec import TensorValue, encode_tensor


def test_value_read_from_a_message_gives_it_back() -> None:
    message = proto("int32", 3, int_val=[5])
    message.version_number = 1
    message.tensor_shape.dim[0].name = "n"
    data = message.SerializeToString()
    value = TensorValue.from_proto(message)
    message.int_val[0] = 6
    assert value.array.tolist() == [5, 5, 5]
    assert value.to_proto().SerializeToString() == data


def test_values_without_arrays_are_carried() -> None:
    message = proto("variant", 1)
    message.variant_val.add(type_name="x", metadata=b"m")
    value = TensorValue.from_proto(message)
    assert (value.dtype, value.shape, value.to_proto()) == (dtypes.variant, (1,), message)
    assert value == TensorValue.from_proto(message)
    assert value != TensorValue.from_proto(proto("variant", 1))


def test_equality() -> None:
    ones = np.ones(2, np.float32)
    value = TensorValue(ones, dtypes.float32)
    assert value == TensorValue.from_proto(proto("float32", 2, float_val=[1]))
    assert value != TensorValue(ones.reshape(1, 2), dtypes.float32)
    assert value != TensorValue(np.zeros(2, np.float32), dtypes.float32)
    assert value != "value"
    one = np.array(1, np.int8)
    assert TensorValue(one, dtypes.int8) != TensorValue(one, dtypes.qint8)
    assert TensorValue(-ones * 0, dtypes.float32) != TensorValue(ones * 0, dtypes.float32)
    assert repr(value) == "TensorValue(float32[2])"


def test_the_array_taken_over_is_protected() -> None:
    value = TensorValue(np.ones(2, np.float32), dtypes.float32)
    with pytest.raises(ValueError, match="read-only"):
        value.array[0] = 2


@pytest.mark.parametrize(
    ("array", "dtype", "clause"),
    [
        (np.ones(2), dtypes.float32, "an array of float64 cannot hold float32"),
        (np.ones(2, np.float32), dtypes.float32.ref, "cannot hold float32_ref"),
        (np.array([None]), dtypes.variant, "an array of object cannot hold variant"),
    ],
)
def test_array_of_the_wrong_type(array: Any, dtype: DType, clause: str) -> None:
    with pytest.raises(TypeError, match=clause):
        TensorValue(array, dtype)
    with pytest.raises(TypeError, match=clause):
        encode_tensor(array, dtype)


def test_strings_are_bytes() -> None:
    with pytest.raises(TypeError, match="element 1 of a string tensor = 'b' is not bytes"):
        encode_tensor(np.array([b"a", "b"], object), dtypes.string)


def test_content_beyond_the_size_of_a_message() -> None:
    huge = np.broadcast_to(np.float32(0), (2**29,))
    with pytest.raises(ValueError, match="2147483648 bytes is larger than a message can be"):
        encode_tensor(huge, dtypes.float32)
