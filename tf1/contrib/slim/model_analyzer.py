"""Parameters of a model: `td.contrib.slim.model_analyzer`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ....graph.graph import Graph

public = {"td.contrib.slim.model_analyzer": "analyze_ops analyze_vars tensor_description"}


def tensor_description(var: Any) -> str:
    """The dtype and shape of a tensor or variable, and its bytes if they are known.

    Args:
        var: the tensor or variable.

    Example:
        >>> with td.Graph().as_default():
        ...     td.contrib.slim.model_analyzer.tensor_description(td.zeros([2, 3]))
        '(float32 2x3 [6, bytes: 24])'
    """
    dtype = var.dtype.base_dtype
    sizes = var.get_shape().as_list() if var.get_shape().rank is not None else ["?"]
    text = "x".join("?" if size is None else str(size) for size in sizes)
    product = "" if None in sizes or "?" in sizes else f"{(number := math.prod(sizes))}, "
    counted = f" [{product}bytes: {number * dtype.size}]" if product else ""
    return f"({dtype.name} {text}{counted})"


def analyze_vars(variables: Iterable[Any], print_info: bool = False) -> tuple[int, int]:
    """Counts the numbers in variables.

    Args:
        variables: the variables.
        print_info: whether to print them.

    Returns:
        The number of values and of bytes.

    Example:
        >>> with td.Graph().as_default():
        ...     v = td.Variable(td.zeros([2, 3]), name="v")
        ...     td.contrib.slim.model_analyzer.analyze_vars([v], print_info=True)
        ---------
        Variables: name (type shape) [size]
        ---------
        v:0 (float32 2x3 [6, bytes: 24])
        Total size of variables: 6
        Total bytes of variables: 24
        (6, 24)
    """
    if print_info:
        print("---------\nVariables: name (type shape) [size]\n---------")
    numbers = size = 0
    for variable in variables:
        count = variable.get_shape().num_elements() or 0
        numbers += count
        size += count * variable.dtype.base_dtype.size
        if print_info:
            print(variable.name, tensor_description(variable))
    if print_info:
        print(f"Total size of variables: {numbers}\nTotal bytes of variables: {size}")
    return numbers, size


def analyze_ops(graph: Graph, print_info: bool = False) -> int:
    """Counts the elements of the outputs of the ops of a graph, as far as shapes are known.

    Args:
        graph: the graph.
        print_info: whether to print the ops.

    Returns:
        The number of elements.

    Example:
        >>> with td.Graph().as_default() as graph:
        ...     x = td.placeholder(td.float32, [2, 3], name="x")
        >>> td.contrib.slim.model_analyzer.analyze_ops(graph)
        6
    """
    if print_info:
        print("---------\nOperations: name -> (type shapes) [size]\n---------")
    total = 0
    for op in graph.get_operations():
        shown = [tensor_description(output) for output in op.outputs]
        total += sum(output.shape.num_elements() or 0 for output in op.outputs)
        if print_info:
            print(f"{op.name}\t->", ", ".join(shown))
    return total
