"""Graphs written as ONNX, checked by `onnx`, and run by onnxruntime beside a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

import tensordraft as td
from tensordraft.graph.registry import lookup

Row = tuple[str, Sequence[Any], Mapping[str, Any]]

onnxruntime.set_default_logger_severity(4)


def as_text(value: Any) -> Any:
    """Strings as onnxruntime takes them."""
    array = np.asarray(value)
    if array.dtype != object:
        return array
    flat = [item.decode() if isinstance(item, bytes) else item for item in array.ravel()]
    return np.array(flat, object).reshape(array.shape)


def session_of(path: str) -> onnxruntime.InferenceSession:
    """A session of onnxruntime of a file that the checker accepts."""
    onnx.checker.check_model(path, full_check=True)
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def run_onnx(path: str, feeds: Mapping[str, Any], outputs: Sequence[str]) -> list[Any]:
    """The outputs of a file, which the checker accepts."""
    session = session_of(path)
    inputs = {item.name for item in session.get_inputs()}
    fed = {name: as_text(value) for name, value in feeds.items() if name in inputs}
    results: list[Any] = session.run(list(outputs), fed)
    return results


def assert_same(name: str, actual: Any, wanted: Any, rtol: float = 1e-4) -> None:
    """Checks that two results agree: floats nearly, all else exactly."""
    wanted = as_text(wanted)
    actual = np.asarray(actual)
    assert actual.shape == wanted.shape, f"{name}: shape {actual.shape}, not {wanted.shape}"
    if wanted.dtype == object:
        assert actual.tolist() == wanted.tolist(), name
        return
    assert actual.dtype == wanted.dtype, f"{name}: {actual.dtype}, not {wanted.dtype}"
    if wanted.dtype.kind in "iub":
        np.testing.assert_array_equal(actual, wanted, err_msg=name)
        return
    finite = np.abs(wanted[np.isfinite(wanted)])
    atol = 1e-5 * finite.max(initial=1e-3)
    np.testing.assert_allclose(actual, wanted, rtol=rtol, atol=atol, err_msg=name)


def check_graph(
    graph: td.Graph,
    feeds: Mapping[Any, Any],
    fetches: Sequence[td.Tensor],
    folder: Path,
    opset: int | None = None,
    rtol: float = 1e-4,
) -> Any:
    """Checks that a graph gives in onnxruntime what it gives in a session; returns the model."""
    with td.Session(graph=graph) as session:
        wanted = session.run(list(fetches), feeds)
    names = [tensor.name for tensor in fetches]
    path = td.save_onnx(
        graph, folder / "graph.onnx", names, [tensor.name for tensor in feeds], opset=opset
    )
    given = {tensor.name: value for tensor, value in feeds.items()}
    for name, actual, want in zip(names, run_onnx(path, given, names), wanted, strict=True):
        assert_same(f"{name} ({graph.get_tensor_by_name(name).op.type})", actual, want, rtol)
    return onnx.load(path)


def check_rows(rows: Sequence[Row], folder: Path, opset: int | None = None) -> Any:
    """Checks many ops at once, as one graph.

    In a row, an array is fed, and anything else is a constant.
    """
    feeds: dict[td.Tensor, Any] = {}
    fetches: list[td.Tensor] = []

    def tensor(value: Any) -> Any:
        if not isinstance(value, np.ndarray):
            return value
        dtype = td.string if value.dtype == object else td.as_dtype(value.dtype)
        placeholder = td.placeholder(dtype, value.shape)
        feeds[placeholder] = value
        return placeholder

    with td.Graph().as_default() as graph:
        for op_type, inputs, attrs in rows:
            given = [
                [tensor(item) for item in value] if isinstance(value, tuple) else tensor(value)
                for value in inputs
            ]
            made = lookup(op_type)(*given, **attrs)
            results = list(made) if isinstance(made, (list, tuple)) else [made]
            fetches += [result for result in results if isinstance(result, td.Tensor)]
    return check_graph(graph, feeds, fetches, folder, opset)
