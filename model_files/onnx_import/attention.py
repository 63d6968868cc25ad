"""Attention ops of ONNX: scaled dot products, their linear kin, rotary embeddings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...ops.control_flow.while_loop import while_loop
from ...protos import dtypes
from ...shape_inference.tensor_shape import TensorShape
from .call import Call, Rule
from .control_flow import stack
from .elementwise import scaled, selected
from .indexing import counted
from .linear import product
from .nodes import (
    apply,
    as_size,
    cast,
    cast_size,
    concat,
    cut,
    expand,
    number,
    rank_of,
    reshape,
    size_of,
    squeeze,
    transpose,
    wide,
)
from .tensors import MalformedError, UnsupportedError


def _heads(x: Tensor, count: int) -> Tensor:
    """Packed heads, [batch, time, heads * size], as an axis: [batch, heads, time, size]."""
    width = x.shape.as_list()[2]
    if count < 1 or (width is not None and width % count):
        raise MalformedError(f"{count} heads do not divide a size of {width}")
    parts = [size_of(x, 0), size_of(x, 1), count, -1 if width is None else width // count]
    return transpose(reshape(x, parts), [0, 2, 1, 3])


def _packed(x: Tensor) -> Tensor:
    """Heads of an axis, packed."""
    x = transpose(x, [0, 2, 1, 3])
    heads, width = x.shape.as_list()[2:]
    packed = -1 if heads is None or width is None else heads * width
    return reshape(x, [size_of(x, 0), size_of(x, 1), packed])


def _repeated(x: Tensor, times: int) -> Tensor:
    """Heads, each repeated."""
    if times == 1:
        return x
    batch, heads, time, width = (size_of(x, axis) for axis in range(4))
    tiled = apply("Tile", expand(x, [2]), np.array([1, 1, times, 1, 1]))
    return reshape(tiled, [batch, heads * times, time, width])


class _Mask:
    """Keys that queries may attend to: a bool for each pair, and a term that is added to scores."""

    def __init__(self) -> None:
        self.allowed: Any = None
        self.added: Any = None

    def restrict(self, allowed: Tensor) -> None:
        """Excludes pairs."""
        both = self.allowed is not None
        self.allowed = apply("LogicalAnd", self.allowed, allowed) if both else allowed

    def bias(self, like: Tensor) -> Any:
        """Term that is added to scores; None for none."""
        if self.allowed is None:
            return self.added
        base = number(like, 0) if self.added is None else self.added
        return selected(self.allowed, base, number(like, -np.inf))


def _attention(c: Call) -> Any:
    query, key, value = c[0], c[1], c[2]
    packed = rank_of(query) == 3
    if packed:
        query = _heads(query, c.int("q_num_heads"))
        key, value = (_heads(x, c.int("kv_num_heads")) for x in (key, value))
    heads, kv_heads = size_of(query, 1), size_of(key, 1)
    if not isinstance(heads, int) or not isinstance(kv_heads, int):
        raise UnsupportedError("the number of its heads is not known: not supported")
    if heads % max(kv_heads, 1):
        raise MalformedError(f"{heads} heads of queries are no multiple of {kv_heads}")
    past: Any = 0
    if c.has(4):
        past = size_of(c[4], 2)
        key, value = concat([c[4], key], 2), concat([c[5], value], 2)
    mask = _mask(c, query, key, past)
    times = heads // kv_heads
    width = size_of(query, 3)
    if "scale" not in c.attrs and not isinstance(width, int):
        raise UnsupportedError("the size of heads is not known: not supported")
    scale = math.sqrt(c.float("scale", 0.0) if "scale" in c.attrs else 1 / math.sqrt(width))
    queries, keys = scaled(query, scale), scaled(_repeated(key, times), scale)
    scores = product(queries, transpose(keys, [0, 1, 3, 2]))
    mode, shown = c.int("qk_matmul_output_mode", 0), scores
    softcap = c.float("softcap", 0.0)
    if softcap:
        scores = scaled(wide("Tanh", scaled(scores, 1 / softcap)), softcap)
        # The raw scores are those that are capped, as the order of the op's steps has it.
        shown = scores if mode in (0, 1) else shown
    bias = mask.bias(query)
    if bias is not None:
        scores = wide("AddV2", scores, bias)
    shown = scores if mode == 2 else shown
    precision = c.dtype("softmax_precision", query.dtype)
    weights = wide("Softmax", cast(scores, precision))
    if bias is not None:
        masked = apply("Equal", wide("Max", bias, [-1], keep_dims=True), number(bias, -np.inf))
        weights = selected(masked, number(weights, 0), weights)
    weights = cast(weights, query.dtype)
    shown = weights if mode == 3 else shown
    result = product(weights, _repeated(value, times))
    return [_packed(result) if packed else result, key, value, shown]


def _mask(c: Call, query: Tensor, key: Tensor, past: Any) -> _Mask:
    """The mask of an attention, from its inputs and attributes."""
    mask = _Mask()
    total = size_of(key, 2)
    if c.has(3):
        stated = c[3]
        stated = _extended(stated, total)
        if stated.dtype is dtypes.bool:
            mask.restrict(stated)
        else:
            mask.added = stated
    left, right = c.int("left_window_size", -1), c.int("right_window_size", -1)
    causal = bool(c.int("is_causal", 0))
    columns = apply("Range", np.int64(0), as_size(total), np.int64(1))
    if causal or left >= 0 or right >= 0:
        rows = apply("Range", np.int64(0), as_size(size_of(query, 2)), np.int64(1))
        rows = apply("ExpandDims", rows, np.int32(-1))
        if c.has(6) and not c.has(4):
            offset = apply("Sub", cast(c[6], dtypes.int64), as_size(size_of(query, 2)))
            rows = apply("AddV2", rows, reshape(offset, [-1, 1, 1, 1]))
        elif isinstance(past, Tensor) or past:
            rows = apply("AddV2", rows, as_size(past))
        if causal:
            mask.restrict(apply("LessEqual", columns, rows))
        if left >= 0:
            mask.restrict(apply("GreaterEqual", columns, apply("Sub", rows, np.int64(left))))
        if right >= 0:
            mask.restrict(apply("LessEqual", columns, apply("AddV2", rows, np.int64(right))))
    if c.has(6):
        lengths = reshape(cast(c[6], dtypes.int64), [-1, 1, 1, 1])
        mask.restrict(apply("Less", columns, lengths))
    return mask


def _extended(mask: Tensor, total: Any) -> Tensor:
    """A mask with a column for each key: those that it lacks are excluded."""
    size = size_of(mask, -1)
    if isinstance(size, int) and isinstance(total, int):
        if size >= total:
            return mask
        more: Any = total - size
    elif size == total:
        return mask
    else:
        more = apply("Maximum", apply("Sub", as_size(total), as_size(size)), np.int64(0))
    rank = rank_of(mask)
    row = apply("Pack", [np.int64(0), as_size(more)])
    pads = apply("Pack", [*[np.zeros(2, np.int64)] * (rank - 1), row])
    filler = np.False_ if mask.dtype is dtypes.bool else number(mask, -np.inf)
    return apply("PadV2", mask, pads, filler)


def _rotary(c: Call) -> Tensor:
    x, cosines, sines = c[0], c[1], c[2]
    packed = rank_of(x) == 3
    if packed:
        x = _heads(x, c.int("num_heads"))
    if c.has(3):
        places = counted(c[3], size_of(cosines, 0))
        cosines, sines = (
            apply("GatherV2", table, places, np.int32(0)) for table in (cosines, sines)
        )
    cosines, sines = expand(cosines, [1]), expand(sines, [1])
    width = size_of(x, 3)
    turned = c.int("rotary_embedding_dim", 0) or width
    if not isinstance(turned, int):
        raise UnsupportedError("the size of heads is not known: not supported")
    if turned % 2:
        raise MalformedError(f"the size that is rotated must be even, got {turned}")
    whole = turned == width
    part, rest = (x, None) if whole else (cut(x, 3, 0, turned), cut(x, 3, turned, None))
    if c.int("interleaved", 0):
        pairs = reshape(part, [*(size_of(x, axis) for axis in range(3)), turned // 2, 2])
        first, second = apply("Unpack", pairs, num=2, axis=4)
    else:
        first, second = apply("Split", np.int32(3), part, num_split=2)
    real = apply("Sub", apply("Mul", cosines, first), apply("Mul", sines, second))
    imaginary = apply("AddV2", apply("Mul", sines, first), apply("Mul", cosines, second))
    if c.int("interleaved", 0):
        both = apply("Pack", [real, imaginary], axis=4)
        part = reshape(both, [*(size_of(x, axis) for axis in range(3)), turned])
    else:
        part = concat([real, imaginary], 3)
    result = part if rest is None else concat([part, rest], 3)
    return _packed(result) if packed else result


def _linear_attention(c: Call) -> Any:
    heads, kv_heads = c.int("q_num_heads"), c.int("kv_num_heads")
    rule = c.text("update_rule", "gated_delta")
    if rule not in ("linear", "gated", "delta", "gated_delta"):
        raise MalformedError(f"update_rule {rule!r} is not known")
    gated, corrected = rule.startswith("gated"), rule.endswith("delta")
    if kv_heads < 1 or heads % kv_heads or (gated and not c.has(4)) or (corrected and not c.has(5)):
        raise MalformedError(f"{heads} and {kv_heads} heads, decay or beta do not fit {rule!r}")
    dtype = c[0].dtype
    query, key, value = (
        cast(_heads(c[i], heads if i == 0 else kv_heads), dtypes.float32) for i in range(3)
    )
    key_size, value_size = size_of(key, 3), size_of(value, 3)
    if not isinstance(key_size, int) or not isinstance(value_size, int):
        raise UnsupportedError("the size of heads is not known: not supported")
    scale = c.float("scale", 0.0) or 1 / math.sqrt(key_size)
    batch, time = size_of(query, 0), as_size(size_of(query, 2))
    if c.has(3):
        state, state_dtype = cast(c[3], dtypes.float32), c[3].dtype
    else:
        shape = apply(
            "Pack", [as_size(batch), *(np.int64(n) for n in (kv_heads, key_size, value_size))]
        )
        state, state_dtype = apply("Fill", shape, np.float32(0)), dtype
    gates = []
    if gated:
        decay = cast(c[4], dtypes.float32)
        gates.append(apply("Exp", _heads(decay, kv_heads)))
    if corrected:
        rates = size_of(c[5], 2)
        gates.append(
            _heads(cast(c[5], dtypes.float32), rates if isinstance(rates, int) else kv_heads)
        )
    steps = [transpose(x, [2, 0, 1, 3]) for x in (query, key, value, *gates)]
    outputs = apply("TensorListReserve", -1, cast_size(time), element_dtype=dtypes.float32)

    def goes_on(i: Tensor, *_: Tensor) -> Tensor:
        return apply("Less", i, time)

    def step(i: Tensor, state: Tensor, outputs: Tensor) -> list[Tensor]:
        q, k, v, *rest = (apply("GatherV2", x, i, np.int32(0)) for x in steps)
        if gated:
            state = apply("Mul", state, expand(rest.pop(0), [3]))
        if corrected:
            recalled = squeeze(apply("BatchMatMulV2", expand(k, [2]), state), [2])
            v = apply("Mul", apply("Sub", v, recalled), rest.pop(0))
        state = apply("AddV2", state, apply("Mul", expand(k, [3]), expand(v, [2])))
        queries = reshape(q, [batch, kv_heads, heads // kv_heads, key_size])
        result = scaled(apply("BatchMatMulV2", queries, state), scale)
        result = reshape(result, [batch, heads * value_size])
        place = cast(i, dtypes.int32)
        return [
            apply("AddV2", i, np.int64(1)),
            state,
            apply("TensorListSetItem", outputs, place, result),
        ]

    shapes = [TensorShape([]), state.shape, TensorShape([])]
    start = apply("Identity", np.int64(0))
    _, state, outputs = while_loop(goes_on, step, [start, state, outputs], shapes)
    shape = TensorShape([query.shape.as_list()[0], heads * value_size])
    stacked = stack(outputs, dtypes.float32, shape)
    return [cast(transpose(stacked, [1, 0, 2]), dtype), cast(state, state_dtype)]


RULES: dict[str, Rule] = {
    "Attention": _attention,
    "LinearAttention": _linear_attention,
    "RotaryEmbedding": _rotary,
}
