"""Graphs that TensorFlow wrote: they compute what it computes, and are written as they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from places import GOLDEN

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")
GRAPHS = sorted(GOLDEN.glob("*.pb"))


def decoded(value: np.ndarray[Any, Any], tensor: td.Tensor) -> np.ndarray[Any, Any]:
    """An array of a golden file in the dtype of `tensor`: see golden/README.md."""
    if tensor.dtype is td.string:
        texts = [bytes.fromhex(text) for text in value.ravel().tolist()]
        return np.array(texts, object).reshape(value.shape)
    return value.astype(tensor.dtype.numpy_dtype) if tensor.dtype is td.bfloat16 else value


@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
def test_a_golden_graph_computes_what_tensorflow_computes(graph: td.Graph, path: Path) -> None:
    td.import_graph_def(td.GraphDef.FromString(path.read_bytes()), name="")
    with np.load(path.with_suffix(".npz")) as arrays:
        feeds = {key[3:]: arrays[key] for key in arrays.files if key.startswith("in/")}
        wanted = {key[4:]: arrays[key] for key in arrays.files if key.startswith("out/")}
    assert wanted
    with td.Session() as session:
        results = session.run({name: name for name in wanted}, feeds)
    for name, value in wanted.items():
        tensor = graph.get_tensor_by_name(name)
        expected, result = decoded(value, tensor), np.asarray(results[name])
        assert tensor.shape.is_compatible_with(expected.shape)
        if tensor.dtype is td.string:
            assert np.asarray(results[name], object).tolist() == expected.tolist()
            continue
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape), name
        np.testing.assert_array_equal(result, expected, name)
        assert result.tobytes() == expected.tobytes(), name  # signs of zeros, too


@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
def test_a_golden_graph_is_written_as_it_was(graph: td.Graph, path: Path) -> None:
    original = td.GraphDef.FromString(path.read_bytes())
    td.import_graph_def(original, name="")
    written = graph.as_graph_def()
    assert [node.name for node in written.node] == [node.name for node in original.node]
    for ours, theirs in zip(written.node, original.node, strict=True):
        theirs.attr.pop("_output_shapes", None)
        theirs.ClearField("experimental_type")  # says of Shape what its signature says
        for one in (ours, theirs):
            if one.op == "Const":
                array = td.make_ndarray(one.attr["value"].tensor)
                one.attr["value"].tensor.CopyFrom(td.make_tensor_proto(array))
        assert ours == theirs


def test_there_are_golden_graphs() -> None:
    assert len(GRAPHS) == 5
