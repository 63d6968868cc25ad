"""Ops of ONNX on strings and n-grams."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...protos import dtypes
from .call import Call, Rule, strings
from .nodes import apply, cast, cut, expand, ints, rank_of, reshape, shape_of
from .tensors import MalformedError

_CASES = {"LOWER": "StringLower", "UPPER": "StringUpper"}


def _concat(c: Call) -> Tensor:
    a, b = c[0], c[1]
    if a.shape.ndims != 0 and b.shape.ndims != 0:
        shape = apply("BroadcastArgs", shape_of(a), shape_of(b))
        a, b = (apply("BroadcastTo", x, shape) for x in (a, b))
    return apply("StringJoin", [a, b])


def _regex_full_match(c: Call) -> Tensor:
    return apply("RegexFullMatch", c[0], c.text("pattern", "").encode())


def _normalizer(c: Call) -> Tensor:
    x, action = c[0], c.text("case_change_action", "NONE")
    words = c.list("stopwords", [])
    flat = reshape(x, [-1])
    if words:
        compared = flat
        if not c.int("is_case_sensitive", 0):
            compared = apply("StringLower", flat, encoding="utf-8")
            words = [word.decode("utf-8", "replace").lower().encode() for word in words]
        equal = apply("Equal", expand(compared, [1]), strings(words))
        kept = apply("Where", apply("LogicalNot", apply("Any", equal, np.int32(1))))
        flat = apply("GatherV2", flat, reshape(kept, [-1]), np.int32(0))
    if action in _CASES:
        flat = apply(_CASES[action], flat, encoding="utf-8")
    elif action != "NONE":
        raise MalformedError(f"case_change_action {action!r} is not known")
    # Where no word is left, the result is one empty string.
    missing = apply(
        "Maximum",
        apply("Sub", np.int64(1), apply("Size", flat, out_type=dtypes.int64)),
        np.int64(0),
    )
    flat = apply("ConcatV2", [flat, apply("Fill", apply("Pack", [missing]), b"")], np.int32(0))
    return flat if rank_of(x) == 1 else reshape(flat, [1, -1])


def _split(c: Call) -> Any:
    x = c[0]
    flat = reshape(x, [-1])
    most, delimiter = c.int("maxsplit", -1), c.text("delimiter", "")
    indices, values, shape = apply("StringSplitV2", flat, delimiter.encode(), maxsplit=most)
    if most > 0 and not delimiter:  # TensorFlow counts what is left, though it may be empty
        kept = apply("Where", apply("NotEqual", values, b""))
        indices, values = (apply("GatherNd", part, kept) for part in (indices, values))
    dense = apply("SparseToDense", indices, shape, values, b"", validate_indices=False)
    rows = apply("GatherV2", apply("Transpose", indices, [1, 0]), np.int64(0), np.int32(0))
    size = apply("Size", flat, out_type=dtypes.int64)
    counts = apply("UnsortedSegmentSum", apply("OnesLike", rows), rows, size)
    outer = shape_of(x)
    width = apply("Slice", shape, [1], [1])
    full = apply("ConcatV2", [outer, width], np.int32(0))
    return [apply("Reshape", dense, full), apply("Reshape", counts, outer)]


def _tf_idf(c: Call) -> Tensor:
    x, mode = c[0], c.text("mode")
    one = rank_of(x) == 1
    rows = expand(x, [0]) if one else x
    shortest, longest, skips = (
        c.int(name) for name in ("min_gram_length", "max_gram_length", "max_skip_count")
    )
    starts, places = list(c.list("ngram_counts")), list(c.list("ngram_indexes"))
    texts = x.dtype is dtypes.string
    pool: Any = strings(c.list("pool_strings")) if texts else ints(c.list("pool_int64s"))
    rows = rows if texts else cast(rows, dtypes.int64)
    columns: dict[int, Tensor] = {}
    first = 0
    for length in range(1, len(starts) + 1):
        end = starts[length] if length < len(starts) else len(pool)
        count, rest = divmod(end - starts[length - 1], length)
        if rest or count < 0 or first + count > len(places) or longest > 64 or skips > 64:
            raise MalformedError("ngram_counts does not fit the pool")
        grams = pool[starts[length - 1] : end].reshape(count, length)
        if shortest <= length <= longest and count:
            columns[first] = _counted(rows, grams, range(1 if length == 1 else skips + 1))
        first += count
    sizes = max(places, default=-1) + 1
    total: Any = None
    for start, found in columns.items():
        width: Any = found.shape.as_list()[1]
        target = np.zeros((width, sizes), np.float32)
        target[np.arange(width), places[start : start + width]] = 1
        part = apply("MatMul", found, target)
        total = part if total is None else apply("AddV2", total, part)
    if total is None:
        raise MalformedError("its pool has no n-grams of the lengths that it counts")
    if mode == "IDF":
        total = apply("Minimum", total, np.float32(1))
    weights = c.list("weights", [])
    if mode != "TF" and weights:
        factors = np.ones(sizes, np.float32)
        factors[places] = weights
        total = apply("Mul", total, factors)
    return apply("Squeeze", total, squeeze_dims=[0]) if one else total


def _counted(rows: Tensor, grams: Any, skips: Any) -> Tensor:
    """Numbers of occurrences of each n-gram in each row."""
    length = grams.shape[1]
    total: Any = None
    for skip in skips:
        step = skip + 1
        equal: Any = None
        for place in range(length):
            stop = place * step - (length - 1) * step
            part = cut(rows, 1, place * step, stop or None)
            same = apply("Equal", expand(part, [2]), grams[:, place])
            equal = same if equal is None else apply("LogicalAnd", equal, same)
        found = apply("Sum", cast(equal, dtypes.float32), np.int32(1))
        total = found if total is None else apply("AddV2", total, found)
    return total


RULES: dict[str, Rule] = {
    "RegexFullMatch": _regex_full_match,
    "StringConcat": _concat,
    "StringNormalizer": _normalizer,
    "StringSplit": _split,
    "TfIdfVectorizer": _tf_idf,
}
