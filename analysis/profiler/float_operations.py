"""Float operations of an op, as TensorFlow's profiler counts them.

`td.cost` counts every op; the profiler has rules for some forty types, by TensorFlow 1.15. Programs
compare its counts with the figures of papers, so that the two are kept apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ...graph.node import Operation, Tensor


class _UnknownSizeError(Exception):
    """A size that counts is only known in a run."""


def float_operations(op: Operation) -> int | None:
    """The operations on numbers of one run of an op.

    Args:
        op: the op.

    Returns:
        The number, 0 where there is no rule; None where sizes are unknown that it depends on, or
        images have their channels first, for which TensorFlow counts only convolutions.
    """
    rule = _RULES.get(op.type)
    if rule is None:
        return 0
    if op.type in _CHANNELS_LAST and op.attrs["data_format"] != b"NHWC":
        return None
    try:
        return int(rule(op))
    except _UnknownSizeError:
        return None


def _sizes(tensor: Tensor) -> list[int]:
    sizes = tensor.shape.as_list() if tensor.shape.rank is not None else [None]
    known_sizes = [size for size in sizes if size is not None]
    if len(known_sizes) < len(sizes):
        raise _UnknownSizeError
    return known_sizes


def _elements(tensor: Tensor) -> int:
    return math.prod(_sizes(tensor))


def _result(op: Operation) -> int:
    return _elements(op.outputs[0])


def _per_input(number: int) -> Callable[[Operation], int]:
    return lambda op: number * _elements(op.inputs[0])


def _per_result(number: int) -> Callable[[Operation], int]:
    return lambda op: number * _result(op)


def _reduction(op: Operation) -> int:
    """Each element but the first of a group is taken to the others."""
    return _elements(op.inputs[0]) - _result(op)


def _product(op: Operation) -> int:
    rows, columns = _sizes(op.inputs[0])[-2:]
    transposed = op.attrs.get("transpose_a", op.attrs.get("adj_x", False))
    return 2 * _result(op) * (rows if transposed else columns)


def _convolution(op: Operation) -> int:
    return 2 * _result(op) * math.prod(_sizes(op.inputs[1])[:-1])


def _channelwise(op: Operation) -> int:
    return 2 * _result(op) * math.prod(_sizes(op.inputs[1])[:2])


def _convolution_gradient(image: Tensor, filters: Tensor, op: Operation) -> int:
    height, width = op.attrs["strides"][1:3]
    channels = _sizes(image)[-1] * int(height * width)
    return 2 * _elements(image) * _elements(filters) // channels


def _window(op: Operation) -> int:
    return math.prod(map(int, op.attrs["ksize"]))


_RULES: dict[str, Callable[[Operation], int]] = {
    **dict.fromkeys(
        ("Reciprocal", "Square", "Log", "Neg", "AssignSub", "AssignAdd", "BiasAdd"), _per_input(1)
    ),
    "Rsqrt": _per_input(2),
    "Softmax": _per_input(5),
    "L2Loss": lambda op: 3 * _elements(op.inputs[0]) - 1,
    **dict.fromkeys(
        (
            *("Add", "AddV2", "Sub", "Mul", "RealDiv", "Maximum", "Minimum", "Pow"),
            *("GreaterEqual", "Greater", "LessEqual", "Less", "Equal", "NotEqual"),
        ),
        _per_result(1),
    ),
    "RsqrtGrad": _per_result(4),
    "SquaredDifference": _per_result(2),
    "AddN": lambda op: _elements(op.inputs[0]) * (len(op.inputs) - 1),
    "Mean": _per_input(1),
    **dict.fromkeys(("Sum", "ArgMax", "ArgMin", "BiasAddGrad"), _reduction),
    **dict.fromkeys(("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"), _product),
    **dict.fromkeys(("Conv2D", "Conv3D"), _convolution),
    **dict.fromkeys(("DepthwiseConv2dNative", "Dilation2D"), _channelwise),
    **dict.fromkeys(("AvgPool", "MaxPool"), lambda op: _window(op) * _result(op)),
    "AvgPoolGrad": lambda op: 2 * _window(op) * _elements(op.inputs[1]),
    "MaxPoolGrad": lambda op: (_window(op) + 1) * _elements(op.inputs[1]),
    "Conv2DBackpropInput": lambda op: _convolution_gradient(op.outputs[0], op.inputs[1], op),
    "Conv2DBackpropFilter": lambda op: _convolution_gradient(op.inputs[0], op.outputs[0], op),
}

_CHANNELS_LAST = frozenset(
    (
        *("AvgPool", "MaxPool", "AvgPoolGrad", "MaxPoolGrad"),
        *("Conv2DBackpropInput", "Conv2DBackpropFilter"),
    )
)
