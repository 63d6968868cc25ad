"""Elementwise ops of TensorFlow Lite: arithmetic, comparison, activations, casts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...protos import dtypes
from .call import Call, Rule, activated, apply

_UNARY = {
    "ABS": "Abs",
    "CEIL": "Ceil",
    "COMPLEX_ABS": "ComplexAbs",
    "COS": "Cos",
    "ELU": "Elu",
    "EXP": "Exp",
    "FLOOR": "Floor",
    "IMAG": "Imag",
    "LOG": "Log",
    "LOGICAL_NOT": "LogicalNot",
    "LOGISTIC": "Sigmoid",
    "LOG_SOFTMAX": "LogSoftmax",
    "NEG": "Neg",
    "REAL": "Real",
    "ROUND": "Rint",
    "RSQRT": "Rsqrt",
    "SIGN": "Sign",
    "SIN": "Sin",
    "SQRT": "Sqrt",
    "SQUARE": "Square",
    "TANH": "Tanh",
    "ZEROS_LIKE": "ZerosLike",
}
_ACTIVATIONS = ("RELU", "RELU6", "RELU_N1_TO_1")
# Ops of two operands that broadcast: those with a fused activation, and the others.
_FUSED = {"ADD": "AddV2", "SUB": "Sub", "MUL": "Mul", "DIV": "Div"}
_BINARY = {
    "ATAN2": "Atan2",
    "BITWISE_XOR": "BitwiseXor",
    "EQUAL": "Equal",
    "FLOOR_DIV": "FloorDiv",
    "FLOOR_MOD": "FloorMod",
    "GREATER": "Greater",
    "GREATER_EQUAL": "GreaterEqual",
    "LESS": "Less",
    "LESS_EQUAL": "LessEqual",
    "LOGICAL_AND": "LogicalAnd",
    "LOGICAL_OR": "LogicalOr",
    "NOT_EQUAL": "NotEqual",
    "POW": "Pow",
    "RIGHT_SHIFT": "RightShift",
    "SQUARED_DIFFERENCE": "SquaredDifference",
}


def _unary(op_type: str, c: Call) -> Tensor:
    return apply(op_type, c[0])


def _binary(op_type: str, c: Call) -> Tensor:
    return apply(op_type, c[0], c[1])


def _fused(op_type: str, c: Call) -> Tensor:
    return c.activate(apply(op_type, c[0], c[1]))


def _activation(name: str, c: Call) -> Tensor:
    return activated(c[0], name)


def _clip_0_to_1(c: Call) -> Tensor:
    return apply("ClipByValue", c[0], np.float32(0), np.float32(1))


def _hard_swish(c: Call) -> Tensor:
    gate = apply("Relu6", apply("AddV2", c[0], np.float32(3)))
    return apply("Mul", apply("Mul", c[0], gate), np.float32(1 / 6))


def _gelu(c: Call) -> Tensor:
    x = c[0]
    if c.option("approximate", False):
        cubed = apply("Mul", apply("Mul", x, apply("Square", x)), np.float32(0.044715))
        inner = apply("Mul", apply("AddV2", x, cubed), np.float32(np.sqrt(2 / np.pi)))
        gate = apply("Tanh", inner)
    else:
        gate = apply("Erf", apply("Mul", x, np.float32(np.sqrt(0.5))))
    half = apply("Mul", x, np.float32(0.5))
    return apply("Mul", half, apply("AddV2", gate, np.float32(1)))


def _prelu(c: Call) -> Tensor:
    x = c[0]
    slope = apply("Mul", c[1], apply("Minimum", x, np.float32(0)))
    return apply("AddV2", apply("Relu", x), slope)


def _leaky_relu(c: Call) -> Tensor:
    return apply("LeakyRelu", c[0], alpha=c.option("alpha", 0.0))


def _softmax(c: Call) -> Tensor:
    beta = c.option("beta", 1.0)
    x = c[0] if beta == 1 else apply("Mul", c[0], np.float32(beta))
    return apply("Softmax", x)


def _l2_normalization(c: Call) -> Tensor:
    squares = apply("Sum", apply("Square", c[0]), np.int32(-1), keep_dims=True)
    norm = apply("Rsqrt", apply("Maximum", squares, np.float32(1e-12)))
    return c.activate(apply("Mul", c[0], norm))


def _local_response_normalization(c: Call) -> Tensor:
    names = ("radius", "bias", "alpha", "beta")
    radius, bias, alpha, beta = (c.option(name, 0) for name in names)
    return apply("LRN", c[0], depth_radius=radius, bias=bias, alpha=alpha, beta=beta)


def _select(op_type: str, c: Call) -> Tensor:
    return apply(op_type, c[0], c[1], c[2])


def _add_n(c: Call) -> Tensor:
    return apply("AddN", c.all())


def _cast(c: Call) -> Tensor:
    return apply("Cast", c[0], DstT=c.out().dtype)


def _bitcast(c: Call) -> Tensor:
    return apply("Bitcast", c[0], type=c.out().dtype)


def _dequantize(c: Call) -> Tensor:
    value = c.real(0)
    is_float = value.dtype is dtypes.float32
    return apply("Identity" if is_float else "Cast", value, **({} if is_float else _AS_FLOAT))


def _quantize(c: Call) -> Tensor:
    return c.real(0)


def _same(c: Call) -> Tensor:
    return apply("Identity", c[0])


def _fake_quant(c: Call) -> Tensor:
    return apply(
        "FakeQuantWithMinMaxArgs",
        c[0],
        min=c.option("min", 0.0),
        max=c.option("max", 0.0),
        num_bits=c.option("num_bits", 8),
        narrow_range=c.option("narrow_range", False),
    )


def _bucketize(c: Call) -> Tensor:
    return apply("Bucketize", c[0], boundaries=list(c.option("boundaries", ())))


_AS_FLOAT: dict[str, Any] = {"DstT": dtypes.float32}


def _rules(build: Callable[..., Any], table: dict[str, str]) -> dict[str, Rule]:
    return {name: Rule(partial(build, op_type)) for name, op_type in table.items()}


RULES = {
    **_rules(_unary, _UNARY),
    **{name: Rule(partial(_activation, name)) for name in _ACTIVATIONS},
    **_rules(_binary, _BINARY),
    **_rules(_fused, _FUSED),
    "ADD_N": Rule(_add_n),
    "BITCAST": Rule(_bitcast, stored=True),
    "BUCKETIZE": Rule(_bucketize),
    "CAST": Rule(_cast, stored=True),
    "DENSIFY": Rule(_same, stored=True),
    "DEQUANTIZE": Rule(_dequantize),
    "FAKE_QUANT": Rule(_fake_quant),
    "GELU": Rule(_gelu),
    "HARD_SWISH": Rule(_hard_swish),
    "L2_NORMALIZATION": Rule(_l2_normalization),
    "LEAKY_RELU": Rule(_leaky_relu),
    "LOCAL_RESPONSE_NORMALIZATION": Rule(_local_response_normalization),
    "MAXIMUM": Rule(partial(_binary, "Maximum"), moves=True),
    "MINIMUM": Rule(partial(_binary, "Minimum"), moves=True),
    "PRELU": Rule(_prelu),
    "QUANTIZE": Rule(_quantize),
    "RELU_0_TO_1": Rule(_clip_0_to_1),
    "SELECT": Rule(partial(_select, "Select"), moves=True),
    "SELECT_V2": Rule(partial(_select, "SelectV2"), moves=True),
    "SOFTMAX": Rule(_softmax),
}
