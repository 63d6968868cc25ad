"""Layers without weights: dropout, flatten, softmax, repetition of other layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....graph.convert import convert_to_tensor
from ....graph.default_scopes import name_scope
from ....ops.array.cast import cast
from ....ops.array.reshape import reshape
from ....ops.array.shapes import shape
from ....ops.indexing.one_hot import one_hot
from ....ops.math.arithmetic import square
from ....ops.math.division import truediv
from ....ops.math.exponentials import sqrt
from ....ops.math.reductions import reduce_sum
from ....ops.nn import activations as nn
from ....ops.nn.embeddings import embedding_lookup
from ....ops.variable_scopes.variable_scope import variable_scope
from ....protos.dtypes import int32, int64
from ....training.layers.core import Dropout, flatten as plain_flatten
from ..framework.arg_scopes import add_arg_scope
from ..framework.model_variables import model_variable
from .adapting import described, layer_scope
from .outputs import collect_named_outputs

public = {
    "td.contrib.layers, td.contrib.slim": (
        "dropout flatten one_hot_encoding repeat softmax stack unit_norm"
    ),
    "td.contrib.layers": "embed_sequence",
}


@add_arg_scope
@described
def dropout(
    inputs: Any,
    keep_prob: Any = 0.5,
    noise_shape: Any = None,
    is_training: Any = True,
    outputs_collections: Any = None,
    scope: Any = None,
    seed: int | None = None,
) -> Any:
    """In training, sets random elements to 0 and scales the others up; otherwise does nothing.

    Args:
        keep_prob: how likely an element is to be kept.
        noise_shape: the shape of the mask, as for `td.nn.dropout`.
        seed: as there.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     y = td.contrib.layers.dropout(td.ones([3]), 0.5, is_training=False)
        ...     print(session.run(y))
        [1. 1. 1.]
    """
    with layer_scope(scope, "Dropout", inputs, renamed=False) as opened:
        layer = Dropout(1 - keep_prob, noise_shape, seed, opened.name, _scope=opened)
        outputs = layer(convert_to_tensor(inputs), training=is_training)
        return collect_named_outputs(outputs_collections, opened.name, outputs)


@add_arg_scope
@described
def flatten(inputs: Any, outputs_collections: Any = None, scope: str | None = None) -> Any:
    """Puts all dimensions but the first together into one.

    Example:
        >>> with td.Graph().as_default():
        ...     td.contrib.layers.flatten(td.ones([2, 3, 4])).shape.as_list()
        [2, 12]
    """
    with name_scope(scope, "Flatten", [inputs]) as opened:
        outputs = plain_flatten(convert_to_tensor(inputs))
        return collect_named_outputs(outputs_collections, opened, outputs)


@add_arg_scope
@described
def one_hot_encoding(
    labels: Any,
    num_classes: int,
    on_value: Any = 1.0,
    off_value: Any = 0.0,
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Any:
    """`td.one_hot` as a layer.

    Args:
        labels: the numbers of classes.
        num_classes: number of classes.
        on_value: the value at the class.
        off_value: the value elsewhere.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.contrib.slim.one_hot_encoding([1], 3)))
        [[0. 1. 0.]]
    """
    with name_scope(scope, "OneHotEncoding", [labels, num_classes]) as opened:
        given = convert_to_tensor(labels)
        if given.dtype.base_dtype is int32:
            given = cast(given, int64)
        outputs = one_hot(given, num_classes, on_value=on_value, off_value=off_value)
        return collect_named_outputs(outputs_collections, opened, outputs)


@add_arg_scope
@described
def softmax(logits: Any, scope: Any = None) -> Any:
    """The softmax along the last dimension, of logits of any rank.

    Args:
        logits: a tensor of floats.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.contrib.slim.softmax([[[0.0, 0.0]]])))
        [[[0.5 0.5]]]
    """
    with variable_scope(scope, "softmax", [logits]):
        given = convert_to_tensor(logits)
        rows = nn.softmax(reshape(given, [-1, given.shape.as_list()[-1]]))
        known = given.shape.is_fully_defined()
        return reshape(rows, given.shape.as_list() if known else shape(given))


@add_arg_scope
@described
def unit_norm(inputs: Any, dim: int, epsilon: float = 1e-7, scope: str | None = None) -> Any:
    """Scales to length 1 along a dimension.

    Args:
        dim: the dimension.
        epsilon: a small number that is added to the square of the length.

    Raises:
        ValueError: there is no such dimension.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.contrib.layers.unit_norm([[3.0, 4.0]], 1)).round(3))
        [[0.6 0.8]]
    """
    with name_scope(scope, "UnitNorm", [inputs]):
        x = convert_to_tensor(inputs)
        rank = x.shape.rank
        if rank is None or not 0 <= dim < rank:
            raise ValueError(f"dim = {dim} is not a dimension of shape {x.shape}")
        return truediv(x, sqrt(reduce_sum(square(x), dim, keepdims=True) + epsilon))


@described
def embed_sequence(
    ids: Any,
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: bool | None = None,
) -> Any:
    """Rows of a new table of embeddings.

    Args:
        ids: the numbers of rows, int32 or int64 of any shape.
        vocab_size: number of rows of the table.
        embed_dim: how long they are.
        unique: accepted for TensorFlow's sake: the results are the same.

    Raises:
        ValueError: the size of the table is not given, unless its variable is reused.

    Example:
        >>> with td.Graph().as_default():
        ...     y = td.contrib.layers.embed_sequence([[1, 2, 0]], vocab_size=3, embed_dim=4)
        ...     y.shape.as_list(), td.model_variables()[0].name
        ([1, 3, 4], 'EmbedSequence/embeddings:0')
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            f"vocab_size and embed_dim are needed, got {vocab_size!r} and {embed_dim!r}"
        )
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        size = None if vocab_size is None or embed_dim is None else [vocab_size, embed_dim]
        table = model_variable(
            "embeddings",
            shape=size,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        return embedding_lookup(table, ids)


def _layer_name(layer: Any, default: str) -> str:
    # Adapters such as partials have the name of the adapted function.
    return getattr(getattr(layer, "func", layer), "__name__", default)


@described
def repeat(
    inputs: Any, repetitions: int, layer: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    """Applies the same layer several times, each time with weights of its own.

    Args:
        repetitions: the number of repetitions.
        layer: a function from a tensor to one, which takes `scope`.
        args: its further arguments.
        kwargs: its further arguments; `scope` is the scope of all, and the name of each, with
            "_1", "_2", … at the end.

    Example:
        >>> slim = td.contrib.slim
        >>> with td.Graph().as_default():
        ...     _ = slim.repeat(td.ones([2, 4, 4, 3]), 2, slim.conv2d, 8, 3, scope="conv1")
        ...     [v.op.name for v in slim.get_variables(suffix="weights")]
        ['conv1/conv1_1/weights', 'conv1/conv1_2/weights']
    """
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Repeat", [inputs]):
        outputs = convert_to_tensor(inputs)
        name = _layer_name(layer, "repeat") if scope is None else scope
        for number in range(1, repetitions + 1):
            outputs = layer(outputs, *args, **{**kwargs, "scope": f"{name}_{number}"})
        return outputs


@described
def stack(inputs: Any, layer: Callable[..., Any], stack_args: Sequence[Any], **kwargs: Any) -> Any:
    """Applies a layer several times, each time with other arguments and weights of its own.

    Args:
        layer: a function from a tensor to one, which takes `scope`.
        stack_args: for each time its second argument, or a tuple of arguments.
        kwargs: further arguments; `scope` is as for `repeat`.

    Raises:
        ValueError: `stack_args` is not a list or tuple.

    Example:
        >>> slim = td.contrib.slim
        >>> with td.Graph().as_default():
        ...     y = slim.stack(td.ones([2, 3]), slim.fully_connected, [8, 4], scope="fc")
        ...     y.shape.as_list(), slim.get_variables(suffix="weights")[1].op.name
        ([2, 4], 'fc/fc_2/weights')
    """
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError(f"stack_args must be a list or a tuple, got {stack_args!r}")
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Stack", [inputs]):
        outputs = convert_to_tensor(inputs)
        name = _layer_name(layer, "stack") if scope is None else scope
        for number, given in enumerate(stack_args, 1):
            arguments = given if isinstance(given, (list, tuple)) else (given,)
            outputs = layer(outputs, *arguments, **{**kwargs, "scope": f"{name}_{number}"})
        return outputs
