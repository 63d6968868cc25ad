"""Models that are built from the configs of files, whose parts are first looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...runtime import errors
from ..layers.core import Input
from ..layers.keras1_configs import early_spec
from ..layers.keras3_configs import is_operation, name_of_class
from ..layers.keras_configs import layer_classes
from ..layers.tensor_functions import OPERATIONS, load_all_layers
from .model_configs import model_from_config

_UNBUILT = (TypeError, KeyError, IndexError, AttributeError, ArithmeticError, ValueError)


def built_model(spec: Mapping[str, Any], title: str) -> Any:
    """Builds the model of a file in the default graph.

    Args:
        spec: a dict of `class_name` and `config`.
        title: what errors call the file.

    Raises:
        UnimplementedError: layers are of unknown classes; the error names all of them.
        DataLossError: the config does not describe a model.
    """
    load_all_layers()
    try:
        unknown = sorted(set(_unknown(spec)))
        if unknown:
            raise errors.UnimplementedError(None, None, f"{title} has {', '.join(unknown)}{_HINT}")
        model = model_from_config(spec)
        if not model.outputs:
            _call_once(model, spec)
    except RecursionError as exc:
        raise errors.DataLossError(None, None, f"{title}: its config is nested too deeply") from exc
    except errors.OpError as exc:
        if title in exc.message:
            raise
        raise type(exc)(None, None, f"{title}: {exc.message}") from exc
    except _UNBUILT as exc:
        raise errors.DataLossError(None, None, f"{title}: {exc}") from exc
    if not model.outputs:
        raise errors.UnimplementedError(
            None,
            None,
            f"{title} holds a model {model.name!r} of unknown input shapes: load it by "
            "td.keras.models.load_model, and call it",
        )
    return model


_HINT = (
    ": give layers of your own by td.keras.utils.custom_object_scope; code in a file is never run"
)


def _call_once(model: Any, spec: Mapping[str, Any]) -> None:
    """Calls a model that has no inputs yet on placeholders of the shape it was built for."""
    shape = (spec.get("build_config") or {}).get("input_shape")
    if isinstance(shape, list) and shape and all(isinstance(x, (int, type(None))) for x in shape):
        tensor = Input(batch_shape=shape)
        outputs = model(tensor)
        if not model.outputs:
            model._input_form, model._output_form = tensor, outputs
            model.inputs, model.outputs = [tensor], _listed(outputs)


def _listed(outputs: Any) -> list[Any]:
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def _unknown(spec: Any) -> Iterator[str]:
    """Names in a config that are unknown: layers, operations, functions of Python."""
    classes = layer_classes()
    waiting = [spec]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += item
        if not isinstance(item, dict):
            continue
        item = dict(early_spec(item))
        if isinstance(item.get("class_name"), str) and _is_layer(item):
            name = item["class_name"]
            if is_operation(item, classes):
                if name not in OPERATIONS:
                    yield f"the operation {name}"
            elif name_of_class(item, classes) not in classes:
                yield f"the layer {name}"
            elif name == "Lambda" and not _has_name(item["config"].get("function")):
                yield f"the Lambda {item['config'].get('name')!r} of Python code"
        waiting += item.values()


def _has_name(function: Any) -> bool:
    return isinstance(function, str) or (
        isinstance(function, dict) and function.get("class_name") in ("function", "__function__")
    )


def _is_layer(item: Mapping[str, Any]) -> bool:
    """Returns True for a dict that describes a layer, not a function, dtype or initializer."""
    config = item.get("config")
    named = isinstance(config, dict) and ("name" in config or "layers" in config)
    word = str(item["class_name"])
    policy = word.endswith("Policy") or word in ("DType", "__keras_tensor__", "__typespec__")
    module = str(item.get("module") or "")
    other = any(part in module for part in (".initializers", ".regularizers", ".optimizers"))
    other = other or any(part in module for part in (".losses", ".metrics", ".dtype"))
    return named and not policy and not other


def with_hard_sigmoid(spec: Any) -> Any:
    """A config of Keras 3 whose hard sigmoid has the slope that it has there."""
    if isinstance(spec, list):
        return [with_hard_sigmoid(item) for item in spec]
    if isinstance(spec, dict):
        return {
            key: "hard_sigmoid_3"
            if item == "hard_sigmoid" and key.endswith("activation")
            else with_hard_sigmoid(item)
            for key, item in spec.items()
        }
    return spec
