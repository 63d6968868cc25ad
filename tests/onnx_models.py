"""Small ONNX models as messages, made without the `onnx` package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tensordraft import onnx_backend
from tensordraft.model_files.onnx_import.messages import message_class
from tensordraft.model_files.onnx_import.tensors import NUMBERS
from tensordraft.protos.dtypes import as_dtype


def f32(values: Any) -> Any:
    """An array of float32."""
    return np.asarray(values, np.float32)


def tensor(array: Any, name: str = "") -> Any:
    """A constant."""
    array = np.asarray(array)
    message = message_class("TensorProto")(name=name, dims=array.shape)
    if array.dtype.kind in "OSU":
        message.data_type = 8
        message.string_data.extend(
            x if isinstance(x, bytes) else str(x).encode() for x in array.reshape(-1)
        )
    else:
        message.data_type = NUMBERS[as_dtype(array.dtype)]
        message.raw_data = array.tobytes()
    return message


def attribute(name: str, value: Any) -> Any:
    """An attribute of a node."""
    message = message_class("AttributeProto")(name=name)
    if isinstance(value, float):
        message.type, message.f = 1, value
    elif isinstance(value, int):
        message.type, message.i = 2, value
    elif isinstance(value, str):
        message.type, message.s = 3, value.encode()
    elif isinstance(value, list) and all(isinstance(x, int) for x in value):
        message.type = 7
        message.ints.extend(value)
    elif isinstance(value, list) and all(isinstance(x, float) for x in value):
        message.type = 6
        message.floats.extend(value)
    elif isinstance(value, list):
        message.type = 8
        message.strings.extend(x.encode() for x in value)
    elif hasattr(value, "node"):
        message.type = 5
        message.g.CopyFrom(value)
    elif hasattr(value, "data_type"):
        message.type = 4
        message.t.CopyFrom(value)
    else:
        message.type = 13
        message.tp.CopyFrom(value)
    return message


def node(
    op_type: str,
    inputs: Sequence[str],
    outputs: Sequence[str] = ("y",),
    domain: str = "",
    **attrs: Any,
) -> Any:
    """A node."""
    message = message_class("NodeProto")(
        op_type=op_type, input=inputs, output=outputs, domain=domain
    )
    message.attribute.extend(attribute(name, value) for name, value in attrs.items())
    return message


def info(name: str, dtype: Any = None, shape: Sequence[Any] | None = None) -> Any:
    """The type of a value: a dtype, with a shape that may have named sizes."""
    message = message_class("ValueInfoProto")(name=name)
    if dtype is not None:
        kind = message.type.tensor_type
        kind.elem_type = NUMBERS[as_dtype(dtype)]
        if shape is not None:
            kind.shape.SetInParent()
            for size in shape:
                dim = kind.shape.dim.add()
                if isinstance(size, str):
                    dim.dim_param = size
                elif size is not None:
                    dim.dim_value = size
    return message


def graph(
    nodes: Sequence[Any],
    inputs: Sequence[Any] = (),
    outputs: Sequence[Any] = ("y",),
    constants: Mapping[str, Any] | None = None,
) -> Any:
    """A graph, whose outputs may be names."""
    message = message_class("GraphProto")(name="main", node=nodes, input=inputs)
    message.output.extend(info(x) if isinstance(x, str) else x for x in outputs)
    message.initializer.extend(tensor(value, name) for name, value in (constants or {}).items())
    return message


def model(
    nodes: Sequence[Any],
    inputs: Sequence[Any] = (),
    outputs: Sequence[Any] = ("y",),
    constants: Mapping[str, Any] | None = None,
    opset: int = 21,
    **opsets: int,
) -> Any:
    """A model; `ml=3` states the version of ai.onnx.ml."""
    message = message_class("ModelProto")(ir_version=8)
    message.graph.CopyFrom(graph(nodes, inputs, outputs, constants))
    message.opset_import.add(domain="", version=opset)
    for domain, version in opsets.items():
        message.opset_import.add(domain={"ml": "ai.onnx.ml"}.get(domain, domain), version=version)
    return message


def run_op(
    op_type: str,
    *inputs: Any,
    opset: int = 21,
    outputs: int = 1,
    ml: int = 0,
    sizes: bool = True,
    **attrs: Any,
) -> Any:
    """The results of an op on arrays, of which None stands for an input that is left out.

    The model does not state the sizes of the first input if `sizes` is False.
    """
    names = [f"x{i}" if value is not None else "" for i, value in enumerate(inputs)]
    results = [f"y{i}" for i in range(outputs)]
    arrays = [np.asarray(value) for value in inputs if value is not None]
    infos = [
        info(name, "string" if array.dtype.kind in "OU" else array.dtype, array.shape)
        for name, array in zip([name for name in names if name], arrays, strict=True)
    ]
    if not sizes:
        infos[0] = info(names[0], arrays[0].dtype, [None] * arrays[0].ndim)
    made = node(op_type, names, results, "ai.onnx.ml" if ml else "", **attrs)
    message = model([made], infos, results, None, opset, **({"ml": ml} if ml else {}))
    found = onnx_backend.run_model(message, arrays)
    return found[0] if outputs == 1 else found
