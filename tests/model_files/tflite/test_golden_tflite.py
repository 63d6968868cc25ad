"""Small TensorFlow Lite files, with the results of LiteRT.

`files/NAME.tflite` was written by the converter of TensorFlow 2.21 from layers of Keras or from
functions, with weights drawn at random; `NAME.npz` holds inputs (`in0`, …) and what LiteRT's
interpreter computed from them (`out0`, … in the order of the file), `again0` at its second run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.model_files.tflite.contents import read_contents

FILES = Path(__file__).parent / "files"
NAMES = sorted(path.stem for path in FILES.glob("*.tflite"))


def results(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Results of a file here, and LiteRT's, by the names of outputs."""
    path = FILES / f"{name}.tflite"
    with np.load(FILES / f"{name}.npz") as saved:
        arrays = dict(saved)
    contents = read_contents(memoryview(path.read_bytes()))
    main = contents.subgraphs[0]
    with td.load(path) as model:
        signature = model.main_signature or model.signatures["dec"]
        key = next(key for key, value in model.signatures.items() if value is signature)
        found = contents.signatures.get(key)
        if found is None:  # the signature is made of the tensors of the main subgraph, in order
            inputs = {next(iter(signature.inputs)): 0}
            outputs = {f"Identity_{i}" if i else "Identity": i for i in range(len(main.outputs))}
        else:
            inputs = {name: main.inputs.index(i) for name, i in found.inputs.items()}
            outputs = {name: main.outputs.index(i) for name, i in found.outputs.items()}
        given = signature(**{name: arrays[f"in{i}"] for name, i in inputs.items()})
    if not isinstance(given, dict):
        given = {next(iter(signature.outputs)): given}
        outputs = dict.fromkeys(given, 0) if len(outputs) == 1 else outputs
    return given, {name: arrays[f"out{i}"] for name, i in outputs.items()}


@pytest.mark.parametrize("name", NAMES)
def test_results_are_those_of_litert(name: str) -> None:
    given, wanted = results(name)
    assert given.keys() == wanted.keys()
    for output, want in wanted.items():
        got = given[output]
        assert got.shape == want.shape
        assert got.dtype == want.dtype
        if want.dtype in (np.int8, np.uint8):
            assert np.abs(got.astype(int) - want.astype(int)).max() <= 1
        elif "int8f" in name:  # real values, at steps of an int8
            step = np.ptp(want) / 100
            np.testing.assert_allclose(got, want, atol=step)
        elif "dyn" in name:  # LiteRT makes integers of activations, too; here they stay floats
            np.testing.assert_allclose(got, want, atol=0.01 * np.abs(want).max())
        elif want.dtype.kind == "f":
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
        else:
            np.testing.assert_array_equal(got, want)


def test_variables_keep_their_values_from_call_to_call() -> None:
    with np.load(FILES / "variable_float.npz") as saved:
        x, first, second = (saved[key] for key in ("in0", "out0", "again0"))
    with td.load(FILES / "variable_float.tflite") as model:
        np.testing.assert_allclose(model(x), first)
        np.testing.assert_allclose(model(x), second)


def test_signatures_keep_their_names() -> None:
    with td.load(FILES / "multisig_float.tflite") as model:
        assert sorted(model.signatures) == ["dec", "enc"]
        assert model.signatures["enc"](x=[[1.0, 2.0]]).tolist() == [[2.0, 4.0]]
        assert model.signatures["dec"](z=[[1.0, 2.0]]).tolist() == [[0.0, 1.0]]


def test_tensors_keep_their_names_and_dtypes() -> None:
    with td.load(FILES / "cnn_int8.tflite") as model:
        [tensor] = model.inputs.values()
        assert tensor.dtype is td.int8
        assert tensor.shape.as_list() == [None, 16, 16, 3]
        batch = np.zeros([3, 16, 16, 3], np.int8)
        assert model(batch).shape == (3, 10)
        assert "sequential_1/conv2d_1/Relu" in {
            op.name.rpartition("/")[0] for op in model.graph.get_operations()
        } | {op.name for op in model.graph.get_operations()}
