"""Summaries of variables and activations, named after them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from ....graph.default_graph import get_default_graph
from ....graph.scopes.collections import GraphKeys
from ....ops.array.cast import cast
from ....ops.common.shared_docs import shared_docs
from ....ops.math.comparison import greater, less
from ....ops.math.reductions import reduce_mean
from ....ops.summaries.scalars_and_histograms import histogram, scalar
from ....protos.dtypes import float32
from ..framework.arg_scopes import add_arg_scope

public = {
    "td.contrib.layers, td.contrib.slim": (
        "summarize_activation summarize_activations summarize_biases summarize_collection "
        "summarize_tensor summarize_tensors summarize_variables summarize_weights"
    ),
}

_ZEROS = {"Relu", "Softplus", "Relu6"}


@add_arg_scope
def summarize_tensor(tensor: Any, tag: str | None = None) -> Any:
    """A summary of a tensor: of a scalar its value, otherwise a histogram.

    Args:
        tensor: a tensor of numbers, or a variable.
        tag: the name of the summary; by default that of the tensor, with "_summary".

    Example:
        >>> with td.Graph().as_default():
        ...     one, many = td.constant(1.0, name="one"), td.ones([3], name="many")
        ...     [td.contrib.layers.summarize_tensor(x).op.type for x in (one, many)]
        ['ScalarSummary', 'HistogramSummary']
    """
    summary = scalar if tensor.shape.rank == 0 else histogram
    return summary(tag or f"{tensor.op.name}_summary", tensor)


@add_arg_scope
def summarize_activation(op: Any) -> Any:
    """A histogram of an activation, and how much of it is cut off where it is of ReLU's kind.

    Args:
        op: the tensor.

    Example:
        >>> with td.Graph().as_default():
        ...     y = td.nn.relu([1.0, -1.0], name="y")
        ...     _ = td.contrib.layers.summarize_activation(y)
        ...     [s.op.name for s in td.get_collection(td.GraphKeys.SUMMARIES)]
        ['y/zeros', 'y/activation']
    """
    kind = op.op.type
    if kind in _ZEROS:
        scalar(f"{op.op.name}/zeros", reduce_mean(cast(less(op, 1e-5), float32)))
    if kind == "Relu6":
        scalar(f"{op.op.name}/sixes", reduce_mean(cast(greater(op, 6 - 1e-5), float32)))
    return histogram(f"{op.op.name}/activation", op)


@add_arg_scope
def summarize_tensors(
    tensors: Iterable[Any], summarizer: Callable[[Any], Any] = summarize_tensor
) -> list[Any]:
    """A summary of each of some tensors.

    Args:
        tensors: the tensors.
        summarizer: makes a summary of one.

    Example:
        >>> with td.Graph().as_default():
        ...     len(td.contrib.layers.summarize_tensors([td.constant(1.0), td.ones([2])]))
        2
    """
    return [summarizer(tensor) for tensor in tensors]


@add_arg_scope
def summarize_collection(
    collection: str,
    name_filter: str | None = None,
    summarizer: Callable[[Any], Any] = summarize_tensor,
) -> list[Any]:
    """A summary of each tensor of a collection.

    Args:
        collection: the name of the collection.
        name_filter: a regular expression that the names of ops begin with.
        summarizer: makes a summary of one.

    Example:
        >>> with td.Graph().as_default():
        ...     td.add_to_collection("some", td.constant(1.0))
        ...     len(td.contrib.layers.summarize_collection("some"))
        1
    """
    found = get_default_graph().get_collection(collection)
    return [
        summarizer(tensor)
        for tensor in found
        if name_filter is None or re.match(name_filter, tensor.op.name)
    ]


def summarize_variables(
    name_filter: str | None = None, summarizer: Callable[[Any], Any] = summarize_tensor
) -> list[Any]:
    """A summary of each global variable: see `summarize_collection`.

    Args:
        name_filter: as there.
        summarizer: as there.

    Example:
        >>> with td.Graph().as_default():
        ...     _ = td.Variable(1.0)
        ...     len(td.contrib.layers.summarize_variables())
        1
    """
    return summarize_collection(GraphKeys.GLOBAL_VARIABLES, name_filter, summarizer)


_documented = shared_docs(
    {
        "name_filter": "as there.",
        "summarizer": "as there.",
    },
)


@_documented
def summarize_weights(
    name_filter: str | None = None, summarizer: Callable[[Any], Any] = summarize_tensor
) -> list[Any]:
    """A summary of each variable in the collection of weights: see `summarize_collection`.

    Example:
        >>> with td.Graph().as_default():
        ...     td.contrib.layers.summarize_weights()
        []
    """
    return summarize_collection(GraphKeys.WEIGHTS, name_filter, summarizer)


@_documented
def summarize_biases(
    name_filter: str | None = None, summarizer: Callable[[Any], Any] = summarize_tensor
) -> list[Any]:
    """A summary of each variable in the collection of biases: see `summarize_collection`.

    Example:
        >>> with td.Graph().as_default():
        ...     td.contrib.layers.summarize_biases()
        []
    """
    return summarize_collection(GraphKeys.BIASES, name_filter, summarizer)


@_documented
def summarize_activations(
    name_filter: str | None = None, summarizer: Callable[[Any], Any] = summarize_activation
) -> list[Any]:
    """A summary of each tensor in the collection of activations: see `summarize_collection`.

    Example:
        >>> with td.Graph().as_default():
        ...     td.contrib.layers.summarize_activations()
        []
    """
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)
