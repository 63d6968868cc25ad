"""Elementwise ops of ONNX: arithmetic, comparison, activations, casts."""

from __future__ import annotations

from functools import partial, reduce
from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...protos import dtypes
from ...protos.dtypes import DType
from .call import Call, Rule
from .nodes import apply, axis_of, cast, constant, number, rank_of, reshape, wide
from .tensors import DTYPES, MalformedError

_UNARY = {
    "Abs": "Abs",
    "Acos": "Acos",
    "Acosh": "Acosh",
    "Asin": "Asin",
    "Asinh": "Asinh",
    "Atan": "Atan",
    "Atanh": "Atanh",
    "Ceil": "Ceil",
    "Cos": "Cos",
    "Cosh": "Cosh",
    "Erf": "Erf",
    "Exp": "Exp",
    "Floor": "Floor",
    "IsNaN": "IsNan",
    "Log": "Log",
    "Neg": "Neg",
    "Not": "LogicalNot",
    "Reciprocal": "Reciprocal",
    "Relu": "Relu",
    "Round": "Rint",
    "Sigmoid": "Sigmoid",
    "Sign": "Sign",
    "Sin": "Sin",
    "Sinh": "Sinh",
    "Softplus": "Softplus",
    "Softsign": "Softsign",
    "Sqrt": "Sqrt",
    "Tan": "Tan",
    "Tanh": "Tanh",
    "BitwiseNot": "Invert",
}
_BINARY = {
    "Add": "AddV2",
    "And": "LogicalAnd",
    "BitwiseAnd": "BitwiseAnd",
    "BitwiseOr": "BitwiseOr",
    "BitwiseXor": "BitwiseXor",
    "Equal": "Equal",
    "Greater": "Greater",
    "GreaterOrEqual": "GreaterEqual",
    "Less": "Less",
    "LessOrEqual": "LessEqual",
    "Mul": "Mul",
    "Or": "LogicalOr",
    "Sub": "Sub",
    "Xor": "NotEqual",
}
# Ops of any number of operands.
_MANY = {"Max": "Maximum", "Min": "Minimum", "Sum": "AddV2"}
_STRING_FORMS = {"float32": 9, "float64": 17}


def _unary(op_type: str, c: Call) -> Tensor:
    return wide(op_type, c[0])


def operands(c: Call) -> tuple[Tensor, Tensor]:
    """Two operands that broadcast, as opsets before 7 state it, too."""
    a, b = c[0], c[1]
    if c.version < 7 and c.int("broadcast", 0) and "axis" in c.attrs:
        rank = rank_of(a)
        axis = axis_of(c.int("axis"), rank)
        b = apply("ExpandDims", b, np.int32(-1)) if rank_of(b) == 0 else b
        for _ in range(rank - axis - rank_of(b)):
            b = apply("ExpandDims", b, np.int32(-1))
    return a, b


def _binary(op_type: str, c: Call) -> Tensor:
    return wide(op_type, *operands(c))


def _abs(c: Call) -> Tensor:
    return c[0] if c[0].dtype.is_unsigned else wide("Abs", c[0])


def _many(op_type: str, c: Call) -> Tensor:
    if len(c) == 1:
        return apply("Identity", c[0])
    return reduce(partial(wide, op_type), c.all())


def _mean(c: Call) -> Tensor:
    total = _many("AddV2", c)
    return wide("RealDiv", total, number(total, len(c)))


def _div(c: Call) -> Tensor:
    a, b = operands(c)
    return wide("TruncateDiv" if a.dtype.is_integer else "RealDiv", a, b)


def _mod(c: Call) -> Tensor:
    a, b = operands(c)
    return wide("TruncateMod" if c.int("fmod", 0) else "FloorMod", a, b)


def _pow(c: Call) -> Tensor:
    base, exponent = operands(c)
    if base.dtype.is_integer:
        known = constant(exponent) if base.dtype is exponent.dtype else None
        if known is None or (known < 0).any():
            floats = (cast(x, dtypes.float64) for x in (base, exponent))
            return cast(apply("Pow", *floats), base.dtype)
    return wide("Pow", base, cast(exponent, base.dtype))


def _shift(c: Call) -> Tensor:
    op_type = {"LEFT": "LeftShift", "RIGHT": "RightShift"}.get(c.text("direction"))
    if op_type is None:
        raise MalformedError(f"direction must be LEFT or RIGHT, got {c.text('direction')!r}")
    x, count = c[0], c[1]
    # A count that is negative or too large leaves nothing, or the sign, which the widest shift
    # of TensorFlow does.
    width = 8 * x.dtype.size
    beyond = apply("GreaterEqual", count, number(x, width))
    if not x.dtype.is_unsigned:
        beyond = apply("LogicalOr", beyond, apply("Less", count, number(x, 0)))
    if op_type == "RightShift" and not x.dtype.is_unsigned:
        return apply(op_type, x, selected(beyond, number(x, width - 1), count))
    return selected(beyond, number(x, 0), apply(op_type, x, count))


def _is_inf(c: Call) -> Tensor:
    x = c[0] if c[0].dtype.size > 1 else cast(c[0], dtypes.float32)
    result: Tensor = wide("IsInf", x)
    zero = number(x, 0)
    if not c.int("detect_negative", 1):
        result = apply("LogicalAnd", result, apply("Greater", x, zero))
    if not c.int("detect_positive", 1):
        result = apply("LogicalAnd", result, apply("Less", x, zero))
    return result


def _clip(c: Call) -> Tensor:
    x = c[0]
    limits: list[Any] = [None, None]
    for place, name in enumerate(("min", "max")):
        if c.version < 11:
            if name in c.attrs:
                limits[place] = number(x, c.float(name))
        elif c.has(place + 1):
            limits[place] = reshape(c[place + 1], []) if rank_of(c[place + 1]) else c[place + 1]
    low, high = limits
    if low is not None and high is not None:
        return wide("Minimum", wide("Maximum", x, low), high)
    if low is None and high is None:
        return apply("Identity", x)
    return wide("Maximum", x, low) if high is None else wide("Minimum", x, high)


def scaled(x: Tensor, factor: float, offset: float = 0.0) -> Tensor:
    """`factor * x + offset`."""
    if factor != 1:
        x = wide("Mul", x, number(x, factor))
    return wide("AddV2", x, number(x, offset)) if offset else x


def selected(condition: Tensor, then: Any, otherwise: Any) -> Tensor:
    """The elements of one tensor or another."""
    return apply("SelectV2", condition, then, otherwise)


def _celu(c: Call) -> Tensor:
    x, alpha = c[0], c.float("alpha", 1.0)
    below = scaled(apply("Expm1", scaled(x, 1 / alpha)), alpha)
    return selected(apply("Greater", x, number(x, 0)), x, below)


def _elu(c: Call) -> Tensor:
    x, alpha = c[0], c.float("alpha", 1.0)
    if alpha == 1:
        return wide("Elu", x)
    below = scaled(apply("Expm1", apply("Minimum", x, number(x, 0))), alpha)
    return selected(apply("Greater", x, number(x, 0)), x, below)


def _selu(c: Call) -> Tensor:
    x = c[0]
    alpha, gamma = c.float("alpha", 1.6732631921768188), c.float("gamma", 1.0507010221481323)
    below = scaled(apply("Expm1", apply("Minimum", x, number(x, 0))), alpha * gamma)
    return selected(apply("Greater", x, number(x, 0)), scaled(x, gamma), below)


def _leaky_relu(c: Call) -> Tensor:
    return wide("LeakyRelu", c[0], alpha=c.float("alpha", 0.01))


def _prelu(c: Call) -> Tensor:
    x, slope = c[0], c[1]
    if c.version < 7 and slope.shape.ndims == 1 and rank_of(x) > 2:
        slope = reshape(slope, [-1, *[1] * (rank_of(x) - 2)])
    zero = number(x, 0)
    return selected(wide("Less", x, zero), wide("Mul", x, slope), x)


def _thresholded_relu(c: Call) -> Tensor:
    x = c[0]
    above = apply("Greater", x, number(x, c.float("alpha", 1.0)))
    return selected(above, x, number(x, 0))


def _hard_sigmoid(c: Call) -> Tensor:
    return hard_sigmoid(c[0], c.float("alpha", 0.2), c.float("beta", 0.5))


def hard_sigmoid(x: Tensor, alpha: float, beta: float) -> Tensor:
    """A line, clipped to 0 and 1."""
    line = scaled(x, alpha, beta)
    return apply("ClipByValue", line, number(x, 0), number(x, 1))


def _hard_swish(c: Call) -> Tensor:
    return apply("Mul", c[0], hard_sigmoid(c[0], 1 / 6, 0.5))


def _swish(c: Call) -> Tensor:
    return swish(c[0], c.float("alpha", 1.0))


def swish(x: Tensor, alpha: float = 1.0) -> Tensor:
    """`x * sigmoid(alpha * x)`."""
    return apply("Mul", x, apply("Sigmoid", scaled(x, alpha)))


def _swiglu(c: Call) -> Tensor:
    return apply("Mul", swish(c[0], c.float("alpha", 1.0)), c[1])


def _mish(c: Call) -> Tensor:
    return wide("Mul", c[0], wide("Tanh", wide("Softplus", c[0])))


def _gelu(c: Call) -> Tensor:
    x = c[0]
    if c.text("approximate", "none") == "tanh":
        cubed = scaled(wide("Mul", x, wide("Square", x)), 0.044715)
        gate = wide("Tanh", scaled(wide("AddV2", x, cubed), float(np.sqrt(2 / np.pi))))
    else:
        gate = wide("Erf", scaled(x, float(np.sqrt(0.5))))
    return wide("Mul", scaled(x, 0.5), scaled(gate, 1, 1))


def _shrink(c: Call) -> Tensor:
    x, bias, limit = c[0], c.float("bias", 0.0), c.float("lambd", 0.5)
    below = wide("Less", x, number(x, -limit) if not x.dtype.is_unsigned else number(x, 0))
    above = wide("Greater", x, number(x, limit))
    low, high = scaled(x, 1, bias), wide("Sub", x, number(x, bias))
    return selected(below, low, selected(above, high, number(x, 0)))


def _where(c: Call) -> Tensor:
    return selected(c[0], c[1], c[2])


def _identity(c: Call) -> Any:
    value = c.value(0)
    return apply("Identity", value) if isinstance(value, Tensor) else value


def converted(x: Tensor, dtype: DType, saturate: bool = True) -> Tensor:
    """A tensor in another dtype, as ONNX converts it."""
    if x.dtype is dtypes.string and dtype is not dtypes.string:
        if dtype.name in ("float32", "float64", "int32", "int64"):
            return apply("StringToNumber", x, out_type=dtype)
        wider = dtypes.float32 if dtype.is_floating else dtypes.int64
        return cast(apply("StringToNumber", x, out_type=wider), dtype)
    if dtype is dtypes.string and x.dtype is not dtypes.string:
        if x.dtype.is_floating:
            x = x if x.dtype is dtypes.float64 else cast(x, dtypes.float32)
            return apply("AsString", x, shortest=True, precision=_STRING_FORMS[x.dtype.name])
        return apply("AsString", x)
    is_narrow = dtype.is_floating and dtype.size == 1
    if is_narrow and saturate and x.dtype.is_floating and x.dtype is not dtype:
        source = cast(x, dtypes.float32) if x.dtype.size < 4 else x
        most = float(_most(dtype))
        clipped = apply("ClipByValue", source, number(source, -most), number(source, most))
        x = selected(apply("IsNan", source), source, clipped)
    return apply("Identity", x) if x.dtype is dtype else cast(x, dtype)


def _most(dtype: DType) -> float:
    """The greatest finite number of a float dtype of one byte."""
    numbers = np.arange(256 if dtype.name[5] == "8" else 16, dtype=np.uint8)
    floats = numbers.view(dtype.numpy_dtype).astype(np.float32)
    return float(floats[np.isfinite(floats)].max())


def _cast(c: Call) -> Tensor:
    if c.version < 6:
        names = {"FLOAT": "float32", "DOUBLE": "float64"}
        text = c.text("to")
        wanted = names.get(text, text.lower())
        dtype = next((x for x in DTYPES.values() if x.name == wanted), None)
        if dtype is None:
            raise MalformedError(f"the attribute to is {text!r}")
        return converted(c[0], dtype)
    return converted(c[0], c.dtype("to"), bool(c.int("saturate", 1)))


def _cast_like(c: Call) -> Tensor:
    return converted(c[0], c[1].dtype, bool(c.int("saturate", 1)))


def _bit_cast(c: Call) -> Tensor:
    x, dtype = c[0], c.dtype("to")
    if x.dtype is dtypes.bool:
        x = cast(x, dtypes.uint8)
    if dtype is dtypes.bool:
        return apply("NotEqual", apply("Bitcast", x, type=dtypes.uint8), np.uint8(0))
    return apply("Bitcast", x, type=dtype)


def _dropout(c: Call) -> Any:
    x = c[0]
    training = c.const(2) if c.version >= 12 and c.has(2) else np.array(False)
    if training is not None and not training.any():
        mask = apply("OnesLike", cast(x, dtypes.bool) if x.dtype is not dtypes.bool else x)
        kept = cast(mask, x.dtype) if c.version < 10 else mask
        return [apply("Identity", x), kept]
    ratio: Any = reshape(c[1], []) if c.has(1) else np.float32(0.5)
    ratio = cast(ratio, dtypes.float32) if isinstance(ratio, Tensor) else ratio
    if training is None:
        ratio = selected(reshape(c[2], []), ratio, np.float32(0))
    chance = apply("RandomUniform", apply("Shape", x), dtype=dtypes.float32, seed=c.int("seed", 0))
    mask = apply("GreaterEqual", chance, ratio)
    scale = apply("Reciprocal", apply("Sub", np.float32(1), ratio))
    kept = apply("Mul", cast(x, dtypes.float32), scale)
    return [cast(selected(mask, kept, np.float32(0)), x.dtype), mask]


def _table(build: Any, table: dict[str, str]) -> dict[str, Rule]:
    return {name: partial(build, op_type) for name, op_type in table.items()}


RULES: dict[str, Rule] = {
    **_table(_unary, _UNARY),
    **_table(_binary, _BINARY),
    **_table(_many, _MANY),
    "Abs": _abs,
    "BitCast": _bit_cast,
    "BitShift": _shift,
    "Cast": _cast,
    "CastLike": _cast_like,
    "Celu": _celu,
    "Clip": _clip,
    "Div": _div,
    "Dropout": _dropout,
    "Elu": _elu,
    "Gelu": _gelu,
    "HardSigmoid": _hard_sigmoid,
    "HardSwish": _hard_swish,
    "Identity": _identity,
    "IsInf": _is_inf,
    "LeakyRelu": _leaky_relu,
    "Mean": _mean,
    "Mish": _mish,
    "Mod": _mod,
    "PRelu": _prelu,
    "Pow": _pow,
    "Selu": _selu,
    "Shrink": _shrink,
    "SwiGLU": _swiglu,
    "Swish": _swish,
    "ThresholdedRelu": _thresholded_relu,
    "Where": _where,
}
