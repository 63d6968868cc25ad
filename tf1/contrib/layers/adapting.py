"""Additions of the `contrib` layers to `td.layers`: names of variables, collections."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from ....graph.convert import convert_to_tensor
from ....graph.default_scopes import add_to_collections
from ....ops.common.shared_docs import shared_docs
from ....ops.variable_scopes.variable_scope import VariableScope, variable_scope
from ..framework.model_variables import model_variable
from .fan_initializers import xavier_initializer
from .outputs import collect_named_outputs, get_variable_collections

XAVIER = xavier_initializer()

described = shared_docs(
    {
        "inputs": "a tensor of floats.",
        "num_outputs": "the number of output channels.",
        "kernel_size": "the size of the window: a number, or one for each dimension of space.",
        "stride": "how far the window moves: a number, or one for each dimension of space.",
        "padding": '"SAME" or "VALID".',
        "data_format": '"NHWC" and the like; by default the channels come last.',
        "rate": "how far apart the elements of the window are: a number, or several.",
        "activation_fn": "a function of the output; None for none.",
        "normalizer_fn": "a function such as `batch_norm`, in the place of the biases.",
        "normalizer_params": "further arguments of `normalizer_fn`.",
        "weights_initializer": "as for `td.get_variable`.",
        "weights_regularizer": "a function from the variable to a loss.",
        "biases_initializer": "as for `td.get_variable`; None for no biases.",
        "biases_regularizer": "a function from the variable to a loss.",
        "initializer": "as for `td.get_variable`.",
        "regularizer": "a function from the variable to a loss.",
        "reuse": "whether the variables of that scope are taken.",
        "variables_collections": "collections for all variables, or a dict of them by name.",
        "outputs_collections": "collections for the output.",
        "trainable": "whether the variables are trained.",
        "scope": "the variable scope; by default that of the layer, made unique.",
        "center": "whether there is a `beta`.",
        "scale": "whether there is a `gamma`.",
        "epsilon": "a small number that is added to the variance.",
        "is_training": "whether to train: a bool, or a tensor of one.",
        "param_initializers": "initializers by the names of variables, such as `beta`.",
        "param_regularizers": "regularizers by the names of variables, such as `beta`.",
    }
)

# The names that the variables of a layer have in `contrib`.
NAMES = {
    "kernel": "weights",
    "bias": "biases",
    "depthwise_kernel": "depthwise_weights",
    "pointwise_kernel": "pointwise_weights",
}


def _renamed_model_variable(
    names: Mapping[str, str], getter: Callable[..., Any], name: str, **settings: Any
) -> Any:
    """A getter that makes variables of the model, under other names."""
    scope, slash, last = name.rpartition("/")
    for dropped in ("reuse", "constraint", "validate_shape"):
        settings.pop(dropped, None)
    return model_variable(
        f"{scope}{slash}{names.get(last, last)}", custom_getter=getter, **settings
    )


@contextmanager
def layer_scope(
    scope: Any, default_name: str, inputs: Any, reuse: Any = None, renamed: bool = True
) -> Iterator[VariableScope]:
    """The variable scope of a layer, in which variables are those of the model.

    Args:
        scope: a name or a scope; None for the default name, made unique.
        default_name: that name.
        inputs: the input of the layer.
        reuse: as for `td.variable_scope`.
        renamed: whether kernels are called weights.
    """
    getter = partial(_renamed_model_variable, NAMES if renamed else {})
    with variable_scope(scope, default_name, [inputs], reuse=reuse, custom_getter=getter) as opened:
        yield opened


def apply(
    layer: Any, inputs: Any, collections: Any, *, kernels: tuple[str, ...] = ("kernel",)
) -> Any:
    """Applies a layer to its input and adds its variables to collections.

    Args:
        layer: the layer.
        inputs: its input.
        collections: collections for all variables, or a dict of them by name.
        kernels: the attributes that hold kernels.
    """
    outputs = layer(convert_to_tensor(inputs))
    for attribute, name in (*((kernel, "weights") for kernel in kernels), ("bias", "biases")):
        variable, listed = getattr(layer, attribute), get_variable_collections(collections, name)
        if variable is not None and listed:
            add_to_collections(listed, variable)
    return outputs


def finished(
    outputs: Any,
    scope_name: str,
    outputs_collections: Any,
    activation_fn: Callable[[Any], Any] | None,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: Mapping[str, Any] | None = None,
) -> Any:
    """The outputs normalized, with an activation, and listed."""
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return collect_named_outputs(outputs_collections, scope_name, outputs)


def channels_form(data_format: str | None, known: tuple[str, ...]) -> str:
    """Converts a data format to the names of `td.layers`.

    Raises:
        ValueError: the format is unknown.
    """
    if data_format is not None and data_format not in known:
        raise ValueError(f"data_format must be one of {', '.join(known)}, got {data_format!r}")
    first = data_format is not None and data_format.startswith("NC")
    return "channels_first" if first else "channels_last"
