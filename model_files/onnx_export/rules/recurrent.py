"""Fused cells of recurrent networks, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..writing.calls import Call
from ..writing.registry import rule
from ..writing.values import Value


@rule("LSTMBlockCell", nodes="MatMul, Add, Split, Sigmoid, Tanh, Mul")
def _lstm_cell(c: Call) -> list[Value]:
    x, cs, h, w, wci, wcf, wco, b = c.inputs
    size = (c.shape(2) or (None, None))[1]
    if size is None:
        c.refuse("the number of units is not known")
    gates = c.node("MatMul", c.concat([x, h], 1), w) + b
    i, ci, f, o = c.split(gates, [size] * 4, 1)
    peep = bool(c.attr("use_peephole", False))
    forget = float(c.attr("forget_bias", 1.0))
    i = c.node("Sigmoid", i + cs * wci if peep else i)
    f = c.node("Sigmoid", (f + cs * wcf if peep else f) + forget)
    ci = c.node("Tanh", ci)
    state = ci * i + cs * f
    clip = float(c.attr("cell_clip", 3.0))
    if clip > 0:
        state = c.node("Clip", state, c.like(-clip, state), c.like(clip, state))
    o = c.node("Sigmoid", o + state * wco if peep else o)
    co = c.node("Tanh", state)
    return [i, state, f, o, ci, co, co * o]


@rule("GRUBlockCell", nodes="MatMul, Add, Split, Sigmoid, Tanh, Mul")
def _gru_cell(c: Call) -> list[Value]:
    x, h, w_ru, w_c, b_ru, b_c = c.inputs
    size = (c.shape(1) or (None, None))[1]
    if size is None:
        c.refuse("the number of units is not known")
    gates = c.node("Sigmoid", c.node("MatMul", c.concat([x, h], 1), w_ru) + b_ru)
    r, u = c.split(gates, [size] * 2, 1)
    candidate = c.node("Tanh", c.node("MatMul", c.concat([x, h * r], 1), w_c) + b_c)
    return [r, u, candidate, u * h + (1 - u) * candidate]


@rule("SparseToDense", nodes="Expand, ScatterND")
def _sparse_to_dense(c: Call) -> Any:
    indices, shape, values, default = c.int64(0), c.int64(1), c.inputs[2], c.inputs[3]
    whole = c.expand(default, shape)
    rank = c.rank(0)
    if rank == 0:
        indices = c.reshape(indices, [1, 1])
    elif rank == 1:
        indices = c.unsqueeze(indices, 1)
    if c.rank(2) == 0:
        values = c.expand(values, c.slice(c.shape_of(indices), [0], [1]))
    return c.node("ScatterND", whole, indices, values)


@rule("SparseTensorDenseMatMul", nodes="Gather, Mul, ScatterND", since=16)
def _sparse_product(c: Call) -> Value:
    indices, values, shape, b = c.int64(0), c.inputs[1], c.int64(2), c.inputs[3]
    rows, columns = (0, 1) if not c.attr("adjoint_a", False) else (1, 0)
    if c.attr("adjoint_b", False):
        b = c.transpose(b, [1, 0])
    row = c.slice(indices, [rows], [rows + 1], [1])
    column = c.squeeze(c.slice(indices, [columns], [columns + 1], [1]), 1)
    parts = c.node("Gather", b, column, axis=0) * c.unsqueeze(values, 1)
    size = c.concat([c.slice(shape, [rows], [rows + 1]), c.slice(c.shape_of(b), [1], [2])])
    return c.node("ScatterND", c.zeros(size, c.dtype()), row, parts, reduction="add")


@rule("SparseReduceSum", nodes="ScatterND, ReduceSum", since=16)
def _sparse_sum(c: Call) -> Value:
    axes = [int(axis) for axis in np.ravel(c.required(3, "the axes"))]
    indices, values, shape = c.int64(0), c.inputs[1], c.int64(2)
    whole = c.node("ScatterND", c.zeros(shape, c.dtype()), indices, values, reduction="add")
    return c.reduce("ReduceSum", whole, axes, bool(c.attr("keep_dims", False)))
