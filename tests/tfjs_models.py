"""TensorFlow.js models that tests write: parts of their JSON, and weights."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

FLOAT = {"T": {"type": "DT_FLOAT"}}


def texts(*words: str) -> list[str]:
    """Texts as the JSON of protobuf has bytes."""
    return [base64.b64encode(word.encode()).decode() for word in words]


def constant(name: str, dtype: str = "DT_FLOAT") -> dict[str, Any]:
    """A constant whose value is a weight."""
    return node(name, "Const", dtype={"type": dtype}, value={"tensor": {"dtype": dtype}})


def node(name: str, op: str, *inputs: str, **attrs: Any) -> dict[str, Any]:
    """A node."""
    return {"name": name, "op": op, "input": list(inputs), "attr": attrs}


def placeholder(name: str, dtype: str, *sizes: int) -> dict[str, Any]:
    """A placeholder."""
    dims = [{"size": str(size)} for size in sizes]
    return node(name, "Placeholder", dtype={"type": dtype}, shape={"shape": {"dim": dims}})


def write(folder: Path, nodes: list[Any], weights: list[tuple[str, Any]], **more: Any) -> Path:
    """Writes a graph model, with weights in the dtypes of their arrays; returns its file."""
    folder.mkdir(exist_ok=True)
    listed, content = [], b""
    for name, array in weights:
        dtype = "string" if array.dtype == object else array.dtype.name
        listed.append({"name": name, "shape": list(array.shape), "dtype": dtype})
        if array.dtype == object:
            content += b"".join(len(x).to_bytes(4, "little") + x for x in array)
        else:
            content += array.tobytes()
    (folder / "w.bin").write_bytes(content)
    model = {
        "format": "graph-model",
        "modelTopology": {"node": nodes},
        "weightsManifest": [{"paths": ["w.bin"], "weights": listed}],
        **more,
    }
    (folder / "model.json").write_text(json.dumps(model))
    return folder / "model.json"
