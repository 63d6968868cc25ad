"""`td.save_onnx`: a model or graph as an ONNX file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from ...graph.api.late_imports import late_import
from .opsets import checked_opset
from .preparation import prepared
from .writing_files import write_model

public = {"td": "save_onnx"}


def save_onnx(
    graph_or_model: Any,
    path: str | PathLike[str],
    outputs: Iterable[str] | Mapping[str, Any] | None = None,
    inputs: Iterable[str] | Mapping[str, Any] | None = None,
    opset: int | None = None,
    signature: str | None = None,
) -> str:
    """Writes a model as an ONNX file; needs the package `onnx`, of `tensordraft[onnx]`.

    Variables become constants, constant parts are computed, batch normalizations go into the
    filters before them. Convolutions get channels first, as ONNX has them, and so does what
    follows them. Corner cases stay TensorFlow's: where an op of ONNX differs, several are written.
    Assertions are left out.

    Args:
        graph_or_model: a LoadedModel, as of `td.load`; a Graph, whose variables are those of the
            default session; a GraphDef; or the path of a file or folder of a model.
        path: the file to write; constants of more than 2 GB go into `path.data` beside it.
        outputs: names of outputs of the signature or of tensors, or a dict from the names in the
            file; by default all outputs. A tensor goes by the name that is given here; by default
            by its own without `:0`.
        inputs: the same for inputs. Placeholders that have a default keep it unless they are here.
        opset: the version of ONNX's ops, from 13; by default 21, which onnxruntime runs from 1.18.
        signature: the name of the signature; by default that for serving, or the only one.

    Returns:
        The path.

    Raises:
        ImportError: `onnx` is not installed.
        UnimplementedError: ops have no equivalent in ONNX; all are named, with what to do.
        ValueError: there is no such output or input, or the opset is unknown.
        OSError: the file cannot be written.

    Example:
        >>> import os, tempfile
        >>> with td.Graph().as_default() as graph:
        ...     x = td.placeholder(td.float32, ["batch", 2], name="x")
        ...     y = td.nn.relu(td.matmul(x, [[1.0], [2.0]]), name="y")
        >>> path = td.save_onnx(graph, os.path.join(tempfile.mkdtemp(), "model.onnx"))
        >>> import onnx
        >>> [node.op_type for node in onnx.load(path).graph.node]
        ['MatMul', 'Relu']
    """
    target = os.fspath(path)
    version = checked_opset(opset)
    graph, fed, fetched = prepared(graph_or_model, outputs, inputs, signature)
    model, constants = late_import("writer of ONNX models")(graph, fed, fetched, version)
    write_model(model, constants, target)
    return target
