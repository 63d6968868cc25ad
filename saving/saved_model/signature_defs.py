"""SignatureDefs: signatures of a model, as messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...graph.convert import convert_to_tensor
from ...protos.dtypes import as_dtype
from ...protos.messages import SignatureDef, TensorInfo
from . import saved_model_constants as constants
from .tensor_infos import build_tensor_info

public = {
    "td.saved_model, td.saved_model.signature_def_utils": (
        "build_signature_def classification_signature_def is_valid_signature "
        "predict_signature_def regression_signature_def"
    ),
}


def build_signature_def(
    inputs: Mapping[str, TensorInfo] | None = None,
    outputs: Mapping[str, TensorInfo] | None = None,
    method_name: str | None = None,
) -> SignatureDef:
    """A signature, from the messages of its tensors.

    Args:
        inputs: the inputs by name, as `td.saved_model.utils.build_tensor_info` makes them.
        outputs: the outputs by name.
        method_name: what kind of function it is, such as "tensorflow/serving/predict".

    Example:
        >>> info = td.saved_model.utils.build_tensor_info
        >>> with td.Graph().as_default():
        ...     x = td.placeholder(td.float32, name="x")
        ...     signature = td.saved_model.signature_def_utils.build_signature_def(
        ...         {"x": info(x)}, {"y": info(x + 1.0)}, "tensorflow/serving/predict"
        ...     )
        >>> signature.outputs["y"].name
        'add:0'
    """
    signature = SignatureDef()
    for given, infos in ((inputs, signature.inputs), (outputs, signature.outputs)):
        for name, info in (given or {}).items():
            infos[name].CopyFrom(info)
    if method_name is not None:
        signature.method_name = method_name
    return signature


def predict_signature_def(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> SignatureDef:
    """The signature of a model that predicts.

    Args:
        inputs: the tensors that it takes, by name.
        outputs: the tensors that it gives, by name.

    Raises:
        ValueError: there are none of either.

    Example:
        >>> with td.Graph().as_default():
        ...     x = td.placeholder(td.float32, name="x")
        ...     td.saved_model.predict_signature_def({"x": x}, {"y": x}).method_name
        'tensorflow/serving/predict'
    """
    return _of_tensors(inputs, outputs, constants.PREDICT_METHOD_NAME)


def regression_signature_def(examples: Any, predictions: Any) -> SignatureDef:
    """The signature of a model that predicts a number for each example.

    Args:
        examples: a string tensor of serialized examples.
        predictions: a float32 tensor.

    Raises:
        ValueError: one of them is missing or of another dtype.

    Example:
        >>> with td.Graph().as_default():
        ...     x = td.placeholder(td.string, name="examples")
        ...     y = td.string_to_number(x)
        ...     sorted(td.saved_model.regression_signature_def(x, y).outputs)
        ['outputs']
    """
    inputs = {constants.REGRESS_INPUTS: _of("examples", examples, "string")}
    outputs = {constants.REGRESS_OUTPUTS: _of("predictions", predictions, "float32")}
    return _of_tensors(inputs, outputs, constants.REGRESS_METHOD_NAME)


def classification_signature_def(examples: Any, classes: Any, scores: Any) -> SignatureDef:
    """The signature of a model that classifies examples.

    Args:
        examples: a string tensor of serialized examples.
        classes: a string tensor, or None.
        scores: a float32 tensor, or None; one of the two is needed.

    Raises:
        ValueError: what is needed is missing, or one is of another dtype.

    Example:
        >>> with td.Graph().as_default():
        ...     x = td.placeholder(td.string, name="examples")
        ...     sorted(td.saved_model.classification_signature_def(x, x, None).outputs)
        ['classes']
    """
    if classes is None and scores is None:
        raise ValueError("one of classes and scores must be given")
    inputs = {constants.CLASSIFY_INPUTS: _of("examples", examples, "string")}
    outputs = {}
    if classes is not None:
        outputs[constants.CLASSIFY_OUTPUT_CLASSES] = _of("classes", classes, "string")
    if scores is not None:
        outputs[constants.CLASSIFY_OUTPUT_SCORES] = _of("scores", scores, "float32")
    return _of_tensors(inputs, outputs, constants.CLASSIFY_METHOD_NAME)


def is_valid_signature(signature_def: SignatureDef | None) -> bool:
    """Returns True if a model server can call a signature.

    Args:
        signature_def: the message.

    Example:
        >>> td.saved_model.is_valid_signature(td.saved_model.build_signature_def())
        False
    """
    if signature_def is None:
        return False
    inputs = {name: _dtype(info) for name, info in signature_def.inputs.items()}
    outputs = {name: _dtype(info) for name, info in signature_def.outputs.items()}
    method = signature_def.method_name
    if method == constants.PREDICT_METHOD_NAME:
        return bool(inputs) and bool(outputs)
    if inputs != {"inputs": "string"}:
        return False
    if method == constants.REGRESS_METHOD_NAME:
        return outputs == {constants.REGRESS_OUTPUTS: "float32"}
    known = {
        constants.CLASSIFY_OUTPUT_CLASSES: "string",
        constants.CLASSIFY_OUTPUT_SCORES: "float32",
    }
    return (
        method == constants.CLASSIFY_METHOD_NAME
        and bool(outputs)
        and outputs.items() <= known.items()
    )


def _dtype(info: TensorInfo) -> str:
    return as_dtype(info.dtype).name if info.dtype else ""


def _of(name: str, value: Any, dtype: str) -> Any:
    if value is None:
        raise ValueError(f"{name} cannot be None")
    tensor = convert_to_tensor(value)
    if tensor.dtype.base_dtype is not as_dtype(dtype):
        raise ValueError(f"{name} must be of dtype {dtype}, got {tensor.dtype.name}")
    return tensor


def _of_tensors(
    inputs: Mapping[str, Any], outputs: Mapping[str, Any], method_name: str
) -> SignatureDef:
    for name, given in (("inputs", inputs), ("outputs", outputs)):
        if not given:
            raise ValueError(f"{name} must hold at least one tensor, got {given!r}")
    return build_signature_def(
        {name: build_tensor_info(tensor) for name, tensor in inputs.items()},
        {name: build_tensor_info(tensor) for name, tensor in outputs.items()},
        method_name,
    )
