"""Strings: joining, case, numbers, regular expressions."""

from __future__ import annotations

import numpy as np

from ..writing.calls import Call
from ..writing.registry import rule
from ..writing.values import Value


@rule("StringJoin", nodes="StringConcat", since=20)
def _join(c: Call) -> Value:
    separator = c.attr("separator", "")
    result = c.x
    for value in c.inputs[1:]:
        if separator:
            result = c.node("StringConcat", result, c.constant(separator.encode(), "string"))
        result = c.node("StringConcat", result, value)
    return result


@rule("StringLower StringUpper", nodes="StringNormalizer")
def _case(c: Call) -> Value:
    # In the locale C only letters of ASCII change, as in TensorFlow without an encoding.
    locale = "en_US.UTF-8" if c.attr("encoding", "") == "utf-8" else "C"
    change = "LOWER" if c.op.type == "StringLower" else "UPPER"
    flat = c.node(
        "StringNormalizer",
        c.reshape(c.x, [-1]),
        case_change_action=change,
        is_case_sensitive=1,
        locale=locale,
    )
    return c.reshape(flat, c.shape_of(c.x))


@rule("StringToNumber", nodes="Cast")
def _to_number(c: Call) -> Value:
    return c.cast(c.x, c.dtype())


@rule("AsString", nodes="Cast")
def _as_string(c: Call) -> Value:
    plain = c.attr("width", -1) in (-1, 0) and not c.attr("fill", "")
    if not c.op.inputs[0].dtype.is_integer or not plain:
        c.refuse("ONNX writes numbers that are no integers in another way")
    return c.cast(c.x, "string")


@rule("RegexFullMatch StaticRegexFullMatch", nodes="RegexFullMatch", since=20)
def _regex(c: Call) -> Value:
    if c.op.type == "RegexFullMatch":
        pattern = c.required(1, "the pattern").item().decode()
    else:
        pattern = c.attr("pattern")
    return c.node("RegexFullMatch", c.x, pattern=pattern)


@rule("ReduceJoin", nodes="Split, StringConcat", since=20)
def _reduce_join(c: Call) -> Value:
    axes = [int(a) for a in np.ravel(c.required(1, "the axes"))]
    if len(axes) != 1:
        c.refuse("joining along several axes")
    axis = axes[0] % c.rank()
    size = (c.shape() or ())[axis]
    if not size:
        c.refuse("the size of the axis that is joined is not known")
    separator = c.constant(c.attr("separator", "").encode(), "string")
    parts = c.split(c.x, [1] * size, axis)
    result = parts[0]
    for part in parts[1:]:
        result = c.node("StringConcat", c.node("StringConcat", result, separator), part)
    return result if c.attr("keep_dims", False) else c.squeeze(result, axis)
