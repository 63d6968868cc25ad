"""Configs of Keras 2.13 and 3 in terms of those of TensorFlow 1.15, which layers here read."""

from __future__ import annotations

from typing import Any

from ...runtime import errors
from .keras1_configs import early_spec
from .tensor_functions import OPERATIONS

_POLICY = "Policy"
# Arguments that say nothing about what a layer computes, or are renamed, as of any class.
_IDLE = frozenset(
    [
        *("autocast", "build_config", "dynamic", "jit_compile", "lora_alpha", "lora_rank"),
        *("optional", "quantization_config", "quantization_mode", "synchronized", "gptq_config"),
        *(
            "experimental_autocast",
            "use_mixed_precision",
            "rng_type",
            "oov_method",
            "input_axes",
            "output_axes",
        ),
    ]
)
_SEEDED = ("Dropout", "LSTM", "GRU", "RNN", "Noise", "Attention")
_RENAMED: dict[str, dict[str, str]] = {"LeakyReLU": {"negative_slope": "alpha"}}
_ONE_FORMAT = ("ZeroPadding1D", "SpatialDropout2D", "SpatialDropout3D")
_KEYWORDS = frozenset({"class_name", "config"})


def current_spec(spec: dict[str, Any]) -> dict[str, Any]:
    """A dict of `class_name` and `config` as TensorFlow 1.15 would have written it.

    Args:
        spec: that of a layer; what it holds beside these two, such as `module`, is kept.
    """
    spec = dict(early_spec(spec))
    name, config = spec["class_name"], spec["config"]
    if not isinstance(config, dict) or not isinstance(name, str):
        return spec
    renamed = _RENAMED.get(name, {})
    changed: dict[str, Any] = {}
    for key, value in config.items():
        if key == "data_format" and value == "channels_last" and name in _ONE_FORMAT:
            continue
        if key in _IDLE or (key == "seed" and value is None):
            continue
        if key == "seed" and not name.endswith(_SEEDED[:1]) and name.endswith(_SEEDED):
            continue
        changed[_name_of(key, renamed)] = _dtype(value) if key == "dtype" else current_value(value)
    built_for = (spec.get("build_config") or {}).get("input_shape")
    if name == "Sequential" and built_for and not changed.get("build_input_shape"):
        changed["build_input_shape"] = built_for
    if name == "InputLayer" and isinstance(changed.get("batch_input_shape"), list):
        changed["batch_input_shape"] = tuple(changed["batch_input_shape"])
    return {**spec, "config": changed}


def _name_of(key: str, renamed: dict[str, str]) -> str:
    return "batch_input_shape" if key == "batch_shape" else renamed.get(key, key)


def _dtype(value: Any) -> Any:
    """A dtype, where Keras may have a policy: of mixed ones that of the variables."""
    if isinstance(value, dict) and str(value.get("class_name")).endswith(_POLICY):
        value = (value.get("config") or {}).get("name")
    if isinstance(value, dict) and isinstance(value.get("config"), dict):
        value = value["config"].get("name", value)
    if isinstance(value, str) and value.startswith(("mixed_", "float8", "int8", "int4")):
        return "float32"
    return value


def current_value(value: Any) -> Any:
    """A value in a config of a layer, without what only later versions write.

    Raises:
        UnimplementedError: it is code of a lambda.
    """
    if isinstance(value, list):
        return [current_value(item) for item in value]
    if not isinstance(value, dict):
        return value
    name = value.get("class_name")
    if name == "__lambda__":
        raise errors.UnimplementedError(
            None, None, "the config holds a lambda as code of one version of Python, never run"
        )
    if name in ("function", "__function__"):
        return value.get("registered_name") or value.get("config")
    if name == "__tuple__":
        return tuple(current_value(item) for item in _items(value))
    if name in ("__tensor__", "__numpy__") and isinstance(value.get("config"), dict):
        return value["config"].get("value")
    if {*value} >= _KEYWORDS and {*value} & {"module", "registered_name", "shared_object_id"}:
        return _object(value)
    return value


def _items(value: dict[str, Any]) -> list[Any]:
    config = value.get("config", value.get("items"))
    items = config.get("items", ()) if isinstance(config, dict) else config
    return list(items or ())


def _object(value: dict[str, Any]) -> Any:
    """An object of a config: a layer keeps all that is said of it, others their arguments."""
    config = value["config"]
    is_layer = isinstance(config, dict) and ("name" in config or "layers" in config)
    if is_layer:
        return value
    if isinstance(config, dict):
        config = {key: current_value(item) for key, item in config.items() if key not in _IDLE}
    return {"class_name": value["class_name"], "config": config}


def name_of_class(spec: dict[str, Any], known: Any) -> Any:
    """The name by which the class of a spec is registered, or that it has otherwise."""
    registered = spec.get("registered_name")
    return registered if isinstance(registered, str) and registered in known else spec["class_name"]


def is_operation(spec: dict[str, Any], known: Any) -> bool:
    """Returns True for an operation on tensors that Keras 3 stores among the layers.

    Args:
        spec: of a layer or an operation; HDF5 files do not have the module.
        known: the names of layers.
    """
    module = str(spec.get("module") or "")
    if module:
        return ".ops" in module
    name = spec["class_name"]
    if not isinstance(name, str) or name not in OPERATIONS:
        return False
    nodes = [node for node in spec.get("inbound_nodes") or () if isinstance(node, dict)]
    if not nodes:
        return False  # of Keras 1 and 2, or of a Sequential
    several = any(len(node.get("args") or ()) > 1 for node in nodes)
    return several or name not in known or "trainable" not in spec["config"]
