"""Gradients of fused recurrent cells, as in saved training graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ..common.gemm import multiply

if TYPE_CHECKING:
    from ...graph.op_def import Results

_WEIGHTS = "w: T, wci: T, wcf: T, wco: T, b: T"
_GIVEN = f"x: T, cs_prev: T, h_prev: T, {_WEIGHTS}, i: T, cs: T, f: T, o: T, ci: T, co: T"
_PEEPHOLES = "wci_grad: T, wcf_grad: T, wco_grad: T"
_ATTRS = "use_peephole: bool, T: {half, float32}"
_ALONG_TIME = (
    f"seq_len_max: int64, {_GIVEN}, h: T, cs_grad: T, h_grad: T -> x_grad: T, cs_prev_grad: T, "
    f"h_prev_grad: T, w_grad: T, {_PEEPHOLES}, b_grad: T"
)
BLOCK_LSTM_GRAD: OpDef[Results] = OpDef("BlockLSTMGrad", _ALONG_TIME, _ATTRS)
BLOCK_LSTM_GRAD_V2: OpDef[Results] = OpDef("BlockLSTMGradV2", _ALONG_TIME, _ATTRS)
LSTM_BLOCK_CELL_GRAD: OpDef[Results] = OpDef(
    "LSTMBlockCellGrad",
    f"{_GIVEN}, cs_grad: T, h_grad: T -> cs_prev_grad: T, dicfo: T, {_PEEPHOLES}",
    _ATTRS,
)
GRU_BLOCK_CELL_GRAD: OpDef[Results] = OpDef(
    "GRUBlockCellGrad",
    "x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T, r: T, u: T, c: T, d_h: T -> d_x: T, "
    "d_h_prev: T, d_c_bar: T, d_r_bar_u_bar: T",
    "T: {float32}",
)
_STEP = "i", "cs", "f", "o", "ci", "co"
_LATER = "cs_grad", "h_grad"
# Where the parts of gates stand among the columns: the gate i, the candidate, the gates f and o.
_ORDER, _LATER_ORDER = (0, 1, 2, 3), (0, 2, 1, 3)


def _check(given: Array, name: str, *sizes: int) -> None:
    if given.shape != sizes:
        raise ValueError(f"{name} must have shape {list(sizes)}, got {list(given.shape)}")


@BLOCK_LSTM_GRAD.shape
@BLOCK_LSTM_GRAD_V2.shape
def _block_lstm_grad_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("seq_len_max", rank=0)
    inputs = [("x", 3), ("cs_prev", 2), ("h_prev", 2), ("w", 2)]
    vectors = [(name, 1) for name in ("wci", "wcf", "wco", "b")]
    return [c.shape(name, rank=rank) for name, rank in inputs + vectors]


@BLOCK_LSTM_GRAD.fresh_kernel
def _block_lstm_grad_kernel(c: KernelContext) -> Kernel:
    return _along_time(c.attr("use_peephole"), _ORDER)


@BLOCK_LSTM_GRAD_V2.fresh_kernel
def _block_lstm_grad_v2_kernel(c: KernelContext) -> Kernel:
    return _along_time(c.attr("use_peephole"), _LATER_ORDER)


def _along_time(peeps: bool, order: tuple[int, ...]) -> Kernel:
    def gradients(most: Array, x: Array, cs0: Array, h0: Array, w: Array, *rest: Array) -> Any:
        *peepholes, b = rest[:4]
        gates, h, cs_grad, h_grad = rest[4:10], rest[10], rest[11], rest[12]
        if x.ndim != 3 or cs0.ndim != 2:
            raise ValueError(
                "x and cs_prev must have ranks 3 and 2, got shapes "
                f"{list(x.shape)} and {list(cs0.shape)}"
            )
        (time, batch, size), units = x.shape, cs0.shape[1]
        _check_state(cs0, h0, w, b, peepholes if peeps else [], batch, size)
        for name, part in zip((*_STEP, "h", *_LATER), rest[4:], strict=True):
            _check(part, name, time, batch, units)
        if most.ndim or not 0 <= most <= time:
            raise ValueError(f"seq_len_max = {most.tolist()} is not in [0, {time}]")
        x_grad, w_grad, b_grad = np.zeros_like(x), np.zeros_like(w), np.zeros_like(b)
        of_peepholes = [np.zeros_like(part) for part in peepholes]
        later_cs, later_h = np.zeros_like(cs0), np.zeros_like(h0)
        for t in reversed(range(int(most))):
            before = (cs0, h0) if t == 0 else (gates[1][t - 1], h[t - 1])
            now = [part[t] for part in gates]
            of_cs, of_gates, of_peeps = _step(
                before[0], peepholes, now, cs_grad[t] + later_cs, h_grad[t] + later_h, peeps, order
            )
            both = multiply(of_gates, w.T)
            x_grad[t], later_h, later_cs = both[:, :size], both[:, size:], of_cs
            w_grad += multiply(np.concatenate([x[t], before[1]], 1).T, of_gates)
            b_grad += of_gates.sum(0)
            for total, part in zip(of_peepholes, of_peeps, strict=False):
                total += part
        return x_grad, later_cs, np.ascontiguousarray(later_h), w_grad, *of_peepholes, b_grad

    return gradients


def _check_state(
    cs: Array, h: Array, w: Array, b: Array, peepholes: list[Array], batch: int, size: int
) -> None:
    units = cs.shape[1]
    _check(cs, "cs_prev", batch, units)
    _check(h, "h_prev", batch, units)
    _check(w, "w", size + units, 4 * units)
    _check(b, "b", 4 * units)
    for name, part in zip(("wci", "wcf", "wco"), peepholes, strict=False):
        _check(part, name, units)


def _step(
    cs_before: Array,
    peepholes: list[Array],
    gates: list[Array],
    cs_grad: Array,
    h_grad: Array,
    peeps: bool,
    order: tuple[int, ...],
) -> tuple[Array, Array, list[Array]]:
    """The gradients of a step: of the state before it, of the gates' sums, and of peepholes."""
    i, cs, f, o, ci, co = gates
    of_o = o * (1 - o) * h_grad * co
    of_cs = (1 - co * co) * h_grad * o + cs_grad
    if peeps:
        of_cs = of_cs + of_o * peepholes[2]
    of_ci = (1 - ci * ci) * of_cs * i
    of_f = f * (1 - f) * of_cs * cs_before
    of_i = i * (1 - i) * of_cs * ci
    before = of_cs * f
    of_peeps = []
    if peeps:
        before = before + of_i * peepholes[0] + of_f * peepholes[1]
        of_peeps = [
            (of_i * cs_before).sum(0),
            (of_f * cs_before).sum(0),
            (of_o * cs).sum(0),
        ]
    parts = of_i, of_ci, of_f, of_o
    columns = [parts[order.index(place)] for place in range(4)]
    return before, np.concatenate(columns, 1), of_peeps


@LSTM_BLOCK_CELL_GRAD.shape
def _cell_grad_shape(c: ShapeContext) -> list[TensorShape]:
    state: Any = c.shape("cs_prev", rank=2).sizes
    c.shape("x", rank=2)
    gates = TensorShape.of((state[0], None if state[1] is None else 4 * state[1]))
    return [
        TensorShape.of(state),
        gates,
        *[c.shape(name, rank=1) for name in ("wci", "wcf", "wco")],
    ]


@LSTM_BLOCK_CELL_GRAD.fresh_kernel
def _cell_grad_kernel(c: KernelContext) -> Kernel:
    peeps = c.attr("use_peephole")

    def gradients(x: Array, cs: Array, h: Array, w: Array, *rest: Array) -> Any:
        *peepholes, b = rest[:4]
        if x.ndim != 2 or cs.ndim != 2:
            raise ValueError(
                f"x and cs_prev must have rank 2, got shapes {list(x.shape)} and {list(cs.shape)}"
            )
        _check_state(cs, h, w, b, peepholes if peeps else [], *x.shape)
        for name, part in zip((*_STEP, *_LATER), rest[4:], strict=True):
            _check(part, name, *cs.shape)
        gates, (cs_grad, h_grad) = list(rest[4:10]), rest[10:]
        of_cs, of_gates, of_peeps = _step(cs, peepholes, gates, cs_grad, h_grad, peeps, _ORDER)
        return of_cs, of_gates, *(of_peeps or map(np.zeros_like, peepholes))

    return gradients


@GRU_BLOCK_CELL_GRAD.shape
def _gru_grad_shape(c: ShapeContext) -> list[TensorShape]:
    state: Any = c.shape("h_prev", rank=2).sizes
    both = TensorShape.of((state[0], None if state[1] is None else 2 * state[1]))
    return [c.shape("x", rank=2), TensorShape.of(state), TensorShape.of(state), both]


@GRU_BLOCK_CELL_GRAD.fresh_kernel
def _gru_grad_kernel(c: KernelContext) -> Kernel:
    return _gru


def _gru(x: Array, h: Array, w_ru: Array, w_c: Array, *rest: Array) -> Any:
    if x.ndim != 2 or h.ndim != 2:
        raise ValueError(
            f"x and h_prev must have rank 2, got shapes {list(x.shape)} and {list(h.shape)}"
        )
    b_ru, b_c, r, u, made, h_grad = rest
    (batch, size), units = x.shape, h.shape[1]
    _check(w_ru, "w_ru", size + units, 2 * units)
    _check(w_c, "w_c", size + units, units)
    _check(b_ru, "b_ru", 2 * units)
    _check(b_c, "b_c", units)
    for name, part in zip(("h_prev", "r", "u", "c", "d_h"), (h, r, u, made, h_grad), strict=True):
        _check(part, name, batch, units)
    of_c = h_grad * (1 - u) * (1 - made * made)
    of_u = h_grad * (h - made) * u * (1 - u)
    through_c = multiply(of_c, w_c.T)
    of_r = through_c[:, size:] * h * r * (1 - r)
    of_gates = np.concatenate([of_r, of_u], 1)
    through_gates = multiply(of_gates, w_ru.T)
    of_h = through_gates[:, size:] + through_c[:, size:] * r + h_grad * u
    return through_gates[:, :size] + through_c[:, :size], of_h, of_c, of_gates
