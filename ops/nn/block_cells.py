"""Fused recurrent cells, as in saved graphs: LSTM, one step or all, and GRU.

Graphs that are made here have cells of plain ops in their place: `td.nn.rnn_cell`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ..common.gemm import multiply

if TYPE_CHECKING:
    from ...graph.op_def import Results

_STATE = "cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T"
_GATES = "i: T, cs: T, f: T, o: T, ci: T, co: T, h: T"
_FLOATS = "T: {half, float32}"
_SETTINGS = (
    f"forget_bias: float = 1.0, cell_clip: float = 3.0, use_peephole: bool = false, {_FLOATS}"
)

LSTM_BLOCK_CELL: OpDef[Results] = OpDef("LSTMBlockCell", f"x: T, {_STATE} -> {_GATES}", _SETTINGS)
BLOCK_LSTM: OpDef[Results] = OpDef(
    "BlockLSTM", f"seq_len_max: int64, x: T, {_STATE} -> {_GATES}", _SETTINGS
)
BLOCK_LSTM_V2: OpDef[Results] = OpDef(
    "BlockLSTMV2",
    f"seq_len_max: int64, x: T, {_STATE} -> {_GATES}",
    f"cell_clip: float = 0.0, use_peephole: bool = false, {_FLOATS}",
)
GRU_BLOCK_CELL: OpDef[Results] = OpDef(
    "GRUBlockCell",
    "x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T -> r: T, u: T, c: T, h: T",
    "T: {float32}",
)


@LSTM_BLOCK_CELL.shape
def _lstm_block_cell_shape(c: ShapeContext) -> list[TensorShape]:
    return [_cell_shape(c, c.shape("x", rank=2))] * 7


def _cell_shape(c: ShapeContext, step: TensorShape) -> TensorShape:
    """The shape of the parts of a state, [batch, units], by theirs and that of a step of inputs."""
    shapes = [c.shape(name, rank=2) for name in ("cs_prev", "h_prev")]
    state: Any = c.merged("cs_prev and h_prev", shapes).sizes
    c.shape("w", rank=2)
    c.shape("b", rank=1)
    sizes: Any = step.sizes
    batch = c.same_size("the batch of x and of cs_prev", sizes[0], state[0])
    return TensorShape.of((batch, state[1]))


@BLOCK_LSTM.shape
@BLOCK_LSTM_V2.shape
def _block_lstm_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("seq_len_max", rank=0)
    x = c.shape("x", rank=3)
    return [x[:1].concatenate(_cell_shape(c, x[1:]))] * 7


@LSTM_BLOCK_CELL.fresh_kernel
def _lstm_block_cell_kernel(c: KernelContext) -> Kernel:
    step = _Step(c)

    def cell(x: Array, *state: Array) -> Any:
        step.check(x[None] if x.ndim == 2 else x, state)
        return step(x, *state)

    return cell


@BLOCK_LSTM.fresh_kernel
def _block_lstm_kernel(c: KernelContext) -> Kernel:
    return _along_time(_Step(c))


@BLOCK_LSTM_V2.fresh_kernel
def _block_lstm_v2_kernel(c: KernelContext) -> Kernel:
    return _along_time(_Step(c, later=True))


def _along_time(step: _Step) -> Kernel:
    def lstm(most: Array, x: Array, cs: Array, h: Array, *weights: Array) -> Any:
        step.check(x, (cs, h, *weights))
        if most.ndim or not 0 <= most <= len(x):
            raise ValueError(
                f"seq_len_max = {most.tolist()} is not in [0, {len(x)}], the number of steps of x"
            )
        results = np.zeros((7, len(x), *cs.shape), x.dtype)
        for t in range(int(most)):
            results[:, t] = step(x[t], cs, h, *weights)
            cs, h = results[1, t], results[6, t]
        return tuple(results)

    return lstm


class _Step:
    """A step of an LSTM, as an op says it.

    Args:
        c: what is known of the op.
        later: whether gates come in the order of the later op, which adds nothing to the gate f.
    """

    def __init__(self, c: OpContext, later: bool = False) -> None:
        self._bias = 0.0 if later else c.attr("forget_bias")
        self._clip, self._peeps = c.attr("cell_clip"), c.attr("use_peephole")
        # Where the gate i, the candidate, and the gates f and o stand among the columns.
        self._order = (0, 2, 1, 3) if later else (0, 1, 2, 3)

    def check(self, x: Array, state: Sequence[Array]) -> None:
        """Checks the shapes of steps of inputs, and of state and weights.

        Raises:
            ValueError: they do not fit.
        """
        cs, h, w, *peepholes, b = state
        units = cs.shape[-1] if cs.ndim else 0
        if x.ndim != 3 or cs.shape != (x.shape[1], units) or h.shape != cs.shape:
            raise ValueError(
                "x, cs_prev and h_prev must be of shapes [batch, size], [batch, units] and "
                f"[batch, units], got {list(x.shape[1:])}, {list(cs.shape)} and {list(h.shape)}"
            )
        if w.shape != (x.shape[2] + units, 4 * units) or b.shape != (4 * units,):
            raise ValueError(
                f"w and b must be of shapes [{x.shape[2] + units}, {4 * units}] and "
                f"[{4 * units}], got {list(w.shape)} and {list(b.shape)}"
            )
        if self._peeps and any(part.shape != (units,) for part in peepholes):
            raise ValueError(
                f"wci, wcf and wco must be of shape [{units}], got "
                f"{[list(part.shape) for part in peepholes]}"
            )

    def __call__(
        self, x: Array, cs: Array, h: Array, w: Array, wci: Array, wcf: Array, wco: Array, b: Array
    ) -> tuple[Array, ...]:
        gates = np.split(multiply(np.concatenate([x, h], 1), w) + b, 4, 1)
        i, ci, f, o = (gates[place] for place in self._order)
        f = f + x.dtype.type(self._bias)
        if self._peeps:
            i, f = i + cs * wci, f + cs * wcf
        i, f, ci = _sigmoid(i), _sigmoid(f), np.tanh(ci)
        cs = ci * i + cs * f
        if self._clip > 0:
            cs = np.clip(cs, -self._clip, self._clip).astype(x.dtype, copy=False)
        o = _sigmoid(o + cs * wco if self._peeps else o)
        co = np.tanh(cs)
        return i, cs, f, o, ci, co, co * o


def _sigmoid(x: Array) -> Array:
    one = x.dtype.type(1)
    return one / (one + np.exp(-x))


@GRU_BLOCK_CELL.shape
def _gru_block_cell_shape(c: ShapeContext) -> list[TensorShape]:
    x: Any = c.shape("x", rank=2).sizes
    h: Any = c.shape("h_prev", rank=2).sizes
    for name, rank in (("w_ru", 2), ("w_c", 2), ("b_ru", 1), ("b_c", 1)):
        c.shape(name, rank=rank)
    return [TensorShape.of((c.same_size("the batch of x and of h_prev", x[0], h[0]), h[1]))] * 4


@GRU_BLOCK_CELL.fresh_kernel
def _gru_block_cell_kernel(c: KernelContext) -> Kernel:
    return _gru


def _gru(x: Array, h: Array, w_ru: Array, w_c: Array, b_ru: Array, b_c: Array) -> Any:
    if x.ndim != 2 or h.ndim != 2 or len(x) != len(h):
        raise ValueError(
            "x and h_prev must be of shapes [batch, size] and [batch, units], got "
            f"{list(x.shape)} and {list(h.shape)}"
        )
    units = h.shape[1]
    size = x.shape[1] + units
    wanted = [(size, 2 * units), (size, units), (2 * units,), (units,)]
    shapes = [part.shape for part in (w_ru, w_c, b_ru, b_c)]
    if shapes != wanted:
        raise ValueError(
            f"w_ru, w_c, b_ru and b_c must be of shapes {[list(s) for s in wanted]}, got "
            f"{[list(s) for s in shapes]}"
        )
    r, u = np.split(_sigmoid(multiply(np.concatenate([x, h], 1), w_ru) + b_ru), 2, 1)
    candidate = np.tanh(multiply(np.concatenate([x, h * r], 1), w_c) + b_c)
    return np.ascontiguousarray(r), np.ascontiguousarray(u), candidate, u * h + (1 - u) * candidate
