"""Fully connected layers, and biases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from ....graph.convert import convert_to_tensor
from ....ops.common.public_function import public_function
from ....ops.initializers.initializers import Zeros
from ....ops.nn import activations as nn
from ....training.layers.core import Dense
from ..framework.arg_scopes import add_arg_scope
from ..framework.model_variables import model_variable
from .adapting import XAVIER, apply, channels_form, described, finished, layer_scope
from .outputs import get_variable_collections

public = {
    "td.contrib.layers, td.contrib.slim": "bias_add elu fully_connected linear relu relu6",
}

ZEROS = Zeros()


@add_arg_scope
@described
def fully_connected(
    inputs: Any,
    num_outputs: Any,
    activation_fn: Callable[[Any], Any] | None = nn.relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: Mapping[str, Any] | None = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: bool | None = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """`activation_fn(inputs @ weights + biases)`, along the last dimension.

    Args:
        inputs: floats, of rank 2 or more.

    Raises:
        ValueError: `num_outputs` is not a number.

    Example:
        >>> with td.Graph().as_default():
        ...     y = td.contrib.layers.fully_connected(td.ones([2, 3]), 4)
        ...     y.shape.as_list(), y.op.type, [v.name for v in td.model_variables()]
        ([2, 4], 'Relu', ['fully_connected/weights:0', 'fully_connected/biases:0'])
    """
    if not hasattr(num_outputs, "__index__"):
        raise ValueError(f"num_outputs must be an integer, got {num_outputs!r}")
    with layer_scope(scope, "fully_connected", inputs, reuse) as opened:
        layer = Dense(
            units=int(num_outputs),
            use_bias=normalizer_fn is None and biases_initializer is not None,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=opened.name,
            _scope=opened,
            _reuse=reuse,
        )
        outputs = apply(layer, inputs, variables_collections)
        return finished(
            outputs,
            opened.name,
            outputs_collections,
            activation_fn,
            normalizer_fn,
            normalizer_params,
        )


def _with_activation(name: str, activation: Callable[[Any], Any] | None) -> Callable[..., Any]:
    """`fully_connected` with another activation, under its own name."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return fully_connected(*args, **{"activation_fn": activation, **kwargs})

    head = signature(fully_connected)
    parameters = [item for key, item in head.parameters.items() if key != "activation_fn"]
    call.__signature__ = head.replace(parameters=parameters)  # type: ignore[attr-defined]
    call.func = fully_connected  # type: ignore[attr-defined]
    doc = f"""`fully_connected` with the activation `{name}`.

        Example:
            >>> with td.Graph().as_default():
            ...     td.contrib.layers.{name}(td.ones([2, 3]), 4).shape.as_list()
            [2, 4]
        """
    return described(public_function(call, name, doc, module=__name__))


relu = _with_activation("relu", nn.relu)
relu6 = _with_activation("relu6", nn.relu6)
elu = _with_activation("elu", nn.elu)
linear = _with_activation("linear", None)


@add_arg_scope
@described
def bias_add(
    inputs: Any,
    activation_fn: Callable[[Any], Any] | None = None,
    initializer: Any = ZEROS,
    regularizer: Any = None,
    reuse: bool | None = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Any:
    """Adds a bias to each channel.

    Args:
        inputs: floats, of rank 2 or more; of rank 4 for "NCHW".

    Raises:
        ValueError: rank or number of channels is not known, or the data format is another.

    Example:
        >>> with td.Graph().as_default():
        ...     y = td.contrib.layers.bias_add(td.ones([2, 3]))
        ...     y.shape.as_list(), td.model_variables()[0].name
        ([2, 3], 'BiasAdd/biases:0')
    """
    first = channels_form(data_format, ("NHWC", "NCHW")) == "channels_first"
    with layer_scope(scope, "BiasAdd", inputs, reuse, renamed=False) as opened:
        x = convert_to_tensor(inputs)
        if x.shape.rank is None or (first and x.shape.rank != 4):
            raise ValueError(f"{data_format} does not fit inputs of shape {x.shape}")
        channels = x.shape.as_list()[1 if first else -1]
        if channels is None:
            raise ValueError(f"the number of channels must be known, got shape {x.shape}")
        biases = model_variable(
            "biases",
            shape=[channels],
            dtype=x.dtype.base_dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=get_variable_collections(variables_collections, "biases"),
        )
        outputs = nn.bias_add(x, biases, data_format=data_format)
        return finished(outputs, opened.name, outputs_collections, activation_fn)
