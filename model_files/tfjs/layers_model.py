"""Layers models of TensorFlow.js: the config of a Keras model, with its variables as weights."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import numpy as np

from ...formats.file_kinds import Kind
from ...formats.model_files import ModelFile
from ...graph.api.late_imports import LOADING
from ...graph.graph import Graph
from ...keras_api import layers, recurrent
from ...keras_api.backend.session import set_learning_phase
from ...keras_api.layers.keras_configs import layer_classes
from ...keras_api.models.model_configs import model_from_config
from ...protos.messages import MetaGraphDef
from ...runtime import errors
from ...saving.editing.convert_variables_to_constants import convert_variables_to_constants
from ...saving.editing.graph_editing import free_name
from ...saving.saved_model.signature_defs import predict_signature_def
from .json_files import damaged
from .weights import Array

_MALFORMED = (
    *(TypeError, KeyError, IndexError, AttributeError, ValueError, OverflowError),
    *(RecursionError, ZeroDivisionError, AssertionError),
)


def layers_model(
    topology: dict[str, Any], weights: Mapping[str, Array], path: str, *, apart: bool
) -> ModelFile:
    """The graph of a layers model, with its variables as constants.

    Args:
        topology: the object with the config, as Python or JavaScript writes it.
        weights: the weights by name.
        path: the file, for errors.
        apart: accepted as other readers take it; constants are in the graph.

    Raises:
        DataLossError: it is malformed, or weights are missing.
        UnimplementedError: it has layers of unknown classes; all are named.
    """
    del apart
    try:
        config = _config(topology)
        _check_classes(config, path)
        with Graph().as_default() as graph:
            set_learning_phase(0)
            model = model_from_config(config)
            if not model.outputs:
                damaged(path, "its config does not state the shape of its input")
            names = (_unique(model.input_names), _unique(model.output_names))
            ends = [
                dict(zip(some, tensors, strict=True))
                for some, tensors in zip(names, (model.inputs, model.outputs), strict=True)
            ]
            values = _Values(_matched(model, weights, path))
            signature = predict_signature_def(*ends)
            outputs = [tensor.op.name for tensor in [*model.outputs, *model.inputs]]
            graph_def = convert_variables_to_constants(
                values, graph.as_graph_def(), list(dict.fromkeys(outputs))
            )
    except errors.OpError:
        raise
    except _MALFORMED as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        damaged(path, f"its config is malformed: {reason[:500]}")
    meta_graph = MetaGraphDef()
    meta_graph.signature_def["serving_default"].CopyFrom(signature)
    order = {"serving_default": (list(ends[0]), list(ends[1]))}
    return ModelFile(path, Kind.TFJS, graph_def, meta_graph, {}, order)


def _config(topology: dict[str, Any]) -> dict[str, Any]:
    """The config of the model in the form of Keras 2."""
    config = topology.get("model_config") or topology.get("modelConfig") or topology
    if isinstance(config, str):
        config = json.loads(config)
    if not isinstance(config, dict) or not {*config} >= {"class_name", "config"}:
        raise ValueError("it must be an object of class_name and config")
    if isinstance(config["config"], list):  # a Sequential of early versions
        inner = {"name": "sequential", "layers": config["config"]}
        config = {**config, "config": inner}
    return {"class_name": config["class_name"], "config": config["config"]}


def _described(value: Any) -> Iterator[dict[str, Any]]:
    """The objects of a config that describe layers, in it and in each other."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += reversed(item)
        elif isinstance(item, dict):
            inner = item.get("config")
            if "class_name" in item and isinstance(inner, dict) and "name" in inner:
                yield item
            waiting += reversed(list(item.values()))


def _import_layers() -> None:
    """Imports the modules of all layers, which are known to configs from then on."""
    with LOADING:
        for package in (layers, recurrent):
            for module in iter_modules(package.__path__):
                import_module(f"{package.__name__}.{module.name}")


def _check_classes(config: dict[str, Any], path: str) -> None:
    """Checks that all classes of layers are known.

    Raises:
        UnimplementedError: some are not; all of them are named.
    """
    _import_layers()
    known = layer_classes()
    unknown = {
        str(item["class_name"]): str(item["config"]["name"])
        for item in _described(config)
        if item["class_name"] not in known
        and isinstance(item["config"].get("name"), str)
        and ("inbound_nodes" in item or "trainable" in item["config"])
    }
    if unknown:
        named = ", ".join(f"{kind} ({name!r})" for kind, name in sorted(unknown.items()))
        message = (
            f"{path} has layers of classes that are not known: {named}; give them in "
            "td.keras.utils.custom_object_scope"
        )
        raise errors.UnimplementedError(None, None, message)


def _unique(names: Sequence[str]) -> list[str]:
    """Names of which those that came before get a number, as TensorFlow.js does."""
    taken: set[str] = set()
    return [free_name(name, taken) for name in names]


class _Values:
    """Variables with their values, in place of a session that would hold them.

    Args:
        values: the values by the names of variables.
    """

    def __init__(self, values: Mapping[str, Array]) -> None:
        self._values = values

    def run(self, fetches: Sequence[str]) -> list[Array]:
        """The values of variables, named as tensors."""
        return [self._values[name.removesuffix(":0")] for name in fetches]


def _matched(model: Any, weights: Mapping[str, Array], path: str) -> dict[str, Array]:
    """The weight of each variable of a model, by the name of the variable."""
    left = dict(weights)
    found: dict[str, Array] = {}
    waiting: list[tuple[Any, str]] = []
    for layer, variable in _variables(model):
        name = variable.op.name
        if name in left and left[name].shape == tuple(variable.shape.as_list()):
            found[name] = _checked(left.pop(name), variable, path)
        else:
            waiting.append((variable, layer.name))
    missing = []
    for variable, layer_name in waiting:
        match = _alike(variable, layer_name, left)
        if match is None:
            missing.append(f"{variable.op.name} of shape {variable.shape.as_list()}")
        else:
            found[variable.op.name] = _checked(left.pop(match), variable, path)
    if missing:
        has = ", ".join(f"{name} {list(array.shape)}" for name, array in list(left.items())[:5])
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        damaged(
            path,
            f"it has no weights for {', '.join(missing[:5])}{more}; "
            f"those that nothing takes are {has or 'none'}",
        )
    return found


def _variables(model: Any) -> Iterator[tuple[Any, Any]]:
    """The variables of a model, each with the layer of the model that has it."""
    seen: set[str] = set()
    for layer in model.layers:
        for variable in [*layer.trainable_weights, *layer.non_trainable_weights]:
            if variable.op.name not in seen:
                seen.add(variable.op.name)
                yield layer, variable


def _alike(variable: Any, layer_name: str, left: Mapping[str, Array]) -> str | None:
    """The first weight left that a variable can be.

    Versions of Keras put the names of models and cells before the last part, or leave them out.
    """
    parts = variable.op.name.split("/")
    shape = tuple(variable.shape.as_list())
    fitting = [
        name
        for name, array in left.items()
        if array.shape == shape and name.split("/")[-1] == parts[-1]
    ]
    for scope in (*reversed(parts[:-1]), layer_name):
        for name in fitting:
            if scope in name.split("/")[:-1]:
                return name
    return None


def _checked(array: Array, variable: Any, path: str) -> Array:
    if array.dtype == object:
        damaged(path, f"the weight of {variable.op.name} holds strings")
    dtype = variable.dtype.base_dtype.numpy_dtype
    with np.errstate(all="ignore"):
        return array.astype(dtype, copy=False)
