"""TensorArrays and TensorLists: types, growth, parts, emptiness, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx_runs import check_graph

import tensordraft as td
from tensordraft.graph.registry import lookup

F = np.float32
X = np.arange(6, dtype=F).reshape(3, 2)


@pytest.mark.parametrize(
    "values",
    [
        np.array([2**40, 2**63 + 5], np.uint64),
        np.array([2**32 - 1, 3], np.uint32),
        np.array([True, False]),
        np.array([-128, 127], np.int8),
        np.array([1.5, -2], np.float16),
        np.array([b"a", b""], object),
    ],
    ids=lambda values: str(values.dtype),
)
def test_elements_of_every_type_stay_as_they_are(values: Any, tmp_path: Path) -> None:
    dtype = td.string if values.dtype == object else td.as_dtype(values.dtype)
    with td.Graph().as_default() as graph:
        x = td.placeholder(dtype, [2], name="x")
        array = td.TensorArray(dtype, 2, element_shape=[]).write(1, x[1]).write(0, x[0])
        shape = td.constant([], td.int32)
        handle = lookup("TensorListFromTensor")(x, shape)
        item = lookup("TensorListGetItem")(
            handle, 0, td.constant([], td.int32), element_dtype=dtype
        )
        fetches = [array.stack(), td.expand_dims(item, 0)]
    check_graph(graph, {x: values}, fetches, tmp_path)


def test_scattering_keeps_what_it_does_not_write(tmp_path: Path) -> None:
    def array(size: Any, **options: Any) -> td.TensorArray:
        return td.TensorArray(td.float32, size, element_shape=[2], **options)

    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [3, 2], name="x")
        n = td.placeholder(td.int32, [], name="n")
        fetches = [
            array(3).unstack(x).stack(),
            array(4).write(3, x[2] * 7.0).scatter([0, 1, 2], x).stack(),
            array(n).write(3, x[2] * 7.0).scatter([0, 1, 2], x).stack(),
            array(0, dynamic_size=True).unstack(x).stack(),
            array(0, dynamic_size=True).scatter([2, 0, 1], x).stack(),
            array(0, dynamic_size=True).write(3, x[2] * 7.0).scatter([0, 1, 2], x).stack(),
        ]
    check_graph(graph, {x: X, n: np.int32(4)}, fetches, tmp_path)


def test_lists_grow_and_may_be_empty(tmp_path: Path) -> None:
    options: dict[str, Any] = {"element_dtype": td.float32}
    stack, concat = lookup("TensorListStack"), lookup("TensorListConcat")
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [3, 2], name="x")
        i = td.placeholder(td.int32, [], name="i")
        made = lookup("TensorListFromTensor")(x, [2])
        set_item = lookup("TensorListSetItem")
        longer = set_item(made, i + 3, x[0] * 5.0, resize_if_index_out_of_bounds=True)
        inside = set_item(made, i, x[0] * 5.0, resize_if_index_out_of_bounds=True)
        empty = lookup("EmptyTensorList")([2], 5, **options)
        fetches = [
            lookup("TensorListLength")(longer),
            lookup("TensorListGetItem")(longer, i + 3, [2], **options),
            stack(inside, [2], **options),
            stack(empty, [2], **options),
            concat(lookup("TensorListFromTensor")(td.expand_dims(x, 1), [1, 2]), **options)[0],
        ]
    check_graph(graph, {x: X, i: np.int32(1)}, fetches, tmp_path)


def test_lists_that_onnx_cannot_hold_are_refused(tmp_path: Path) -> None:
    scalar = np.array([], np.int32)
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [3, 2], name="x")
        inner = lookup("TensorListFromTensor")(x, [2])
        outer = lookup("EmptyTensorList")(scalar, 5, element_dtype=td.variant)
        outer = lookup("TensorListPushBack")(outer, inner)
        lookup("TensorListLength")(outer, name="length")
        _, lengths = lookup("TensorListConcat")(inner, element_dtype=td.float32)
        td.identity(lengths, name="lengths")
        lookup("TensorListElementShape")(inner, shape_type=td.int32, name="shape")
    for output, text in {
        "length": "ONNX has no sequences of variant",
        "lengths": "the lengths of what is joined are read",
        "shape": "do not keep the shape of their elements",
    }.items():
        with pytest.raises(td.errors.UnimplementedError, match=text):
            td.save_onnx(graph, tmp_path / "y.onnx", [output])
