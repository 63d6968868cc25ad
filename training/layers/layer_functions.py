"""Functions that make a layer and call it at once, such as `td.layers.dense`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from inspect import Parameter, Signature, cleandoc, signature
from typing import Any, ParamSpec, Protocol, TypeVar

from ...graph.convert import convert_to_tensor
from ...ops.common.public_function import bound_arguments, public_function, sign
from ...ops.common.shared_docs import shared_docs
from .layer import Layer

Function = TypeVar("Function", bound=Callable[..., Any])
Arguments = ParamSpec("Arguments")


class LayerFunction(Protocol[Arguments]):
    """A function with the arguments of a class of layers, behind the input."""

    def __call__(self, inputs: Any, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Any:
        """Makes a layer, and calls it on `inputs`."""


described = shared_docs(
    {
        "inputs": "a tensor of floats.",
        "units": "the size of the last dimension of the output.",
        "filters": "the number of output channels.",
        "kernel_size": "the size of the window: a number, or one for each dimension of space.",
        "pool_size": "the size of the window: a number, or one for each dimension of space.",
        "strides": "how far the window moves: a number, or one for each dimension of space.",
        "padding": '"valid" or "same".',
        "data_format": '"channels_last" or "channels_first".',
        "dilation_rate": "how far apart the elements of the window are: a number, or several.",
        "activation": '"relu" or another word, or a function from a tensor to one; None for none.',
        "use_bias": "whether there is a bias.",
        "kernel_initializer": "as for `td.get_variable`.",
        "bias_initializer": "as for `td.get_variable`.",
        "kernel_regularizer": "a function from the kernel to a loss.",
        "bias_regularizer": "a function from the bias to a loss.",
        "activity_regularizer": "a function from the output to a loss.",
        "kernel_constraint": "what is applied to the kernel after an update.",
        "bias_constraint": "what is applied to the bias after an update.",
        "depth_multiplier": "the number of outputs per input channel before they are mixed.",
        "depthwise_initializer": "as for `td.get_variable`.",
        "pointwise_initializer": "as for `td.get_variable`.",
        "depthwise_constraint": "what is applied to the kernel after an update.",
        "pointwise_constraint": "what is applied to the kernel after an update.",
        "depthwise_regularizer": "a function from the kernel to a loss.",
        "pointwise_regularizer": "a function from the kernel to a loss.",
        "axis": "the dimension of the channels.",
        "momentum": "the decay rate of the moving averages.",
        "epsilon": "a small number that is added to the variance.",
        "center": "whether there is a `beta`.",
        "scale": "whether there is a `gamma`.",
        "beta_initializer": "as for `td.get_variable`.",
        "gamma_initializer": "as for `td.get_variable`.",
        "moving_mean_initializer": "as for `td.get_variable`.",
        "moving_variance_initializer": "as for `td.get_variable`.",
        "beta_regularizer": "a function from the variable to a loss.",
        "gamma_regularizer": "a function from the variable to a loss.",
        "beta_constraint": "what is applied to the variable after an update.",
        "gamma_constraint": "what is applied to the variable after an update.",
        "renorm": "whether batches are corrected towards averages.",
        "renorm_clipping": 'limits of the correction: a dict with "rmin", "rmax" and "dmax".',
        "renorm_momentum": "the decay rate of those averages.",
        "fused": "whether the variance of a sample is taken; by default for rank 4.",
        "virtual_batch_size": "the size of small batches that have a mean of their own.",
        "adjustment": "a function from the shape to what training scales and shifts by, too.",
        "rate": "how likely an element is to be set to 0.",
        "noise_shape": "the shape of what is drawn, as for `td.nn.dropout`.",
        "seed": "as for `td.nn.dropout`.",
        "training": "whether to train: a bool, or a tensor of one.",
        "trainable": "whether the variables are trained.",
        "name": "the name of the layer; by default that of its class, made unique.",
        "reuse": "whether the variables of an earlier layer of that name are taken.",
        "settings": "further arguments of `td.layers.Layer`.",
    }
)


def apply_layer(layer: Callable[..., Layer], inputs: Any, **settings: Any) -> Any:
    """Makes a layer, and calls it.

    Args:
        layer: its class.
        inputs: what it is called on.
        settings: arguments of the class, and `training` of the call. With `reuse`, the variables
            are in the scope `name`: those of an earlier layer of that name where it is true.
    """
    call = {key: settings.pop(key) for key in ("training",) if key in settings}
    if "reuse" in settings:
        settings |= {"_scope": settings["name"], "_reuse": settings.pop("reuse")}
    return layer(**settings)(convert_to_tensor(inputs), **call)


def layer_function(
    layer: Callable[Arguments, Layer], name: str, doc: str, without: Sequence[str] = ()
) -> LayerFunction[Arguments]:
    """A function that takes the arguments of a class of layers, makes a layer, and calls it.

    Args:
        layer: the class.
        name: the name of the function.
        doc: its docstring.
        without: arguments of the class that it does not take.
    """
    own = [item for item in signature(layer).parameters.values() if item.name not in without]
    inputs, reuse = (
        Parameter(word, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation)
        for word, default, annotation in (
            ("inputs", Parameter.empty, "Any"),
            ("reuse", None, "bool | None"),
        )
    )
    own = [item for item in own if item.kind is not Parameter.VAR_KEYWORD]
    head = Signature([inputs, *own, reuse], return_annotation="Any")

    def apply(*args: Any, **kwargs: Any) -> Any:
        return apply_layer(layer, **bound_arguments(head, name, args, kwargs))

    sign(apply, head)
    function: Any = described(public_function(apply, name, doc))
    return function


def sibling(function: Function, layer: type[Layer], name: str, call: str, shape: str) -> Function:
    """A function with the arguments of another, for another class of layers.

    Args:
        function: the other function.
        layer: the class.
        name: the name of the new function.
        call: the arguments of the call in its example.
        shape: the shape that the example prints.
    """
    head = signature(function)

    @functools.wraps(function)
    def apply(*args: Any, **kwargs: Any) -> Any:
        return apply_layer(layer, **bound_arguments(head, name, args, kwargs))

    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = cleandoc(f"""{(layer.__doc__ or "").partition(chr(10))[0]}

        Returns:
            A Tensor of the rank of `inputs`.

        Example:
            >>> with td.Graph().as_default():
            ...     td.layers.{name}({call}).shape.as_list()
            {shape}
        """)
    outcome: Any = described(apply)
    return outcome
