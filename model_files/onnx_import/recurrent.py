"""Recurrent ops of ONNX, RNN, GRU and LSTM, as loops over time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...ops.control_flow.while_loop import while_loop
from ...protos import dtypes
from ...shape_inference.tensor_shape import TensorShape
from .call import Call, Rule
from .control_flow import stack
from .elementwise import hard_sigmoid, scaled, selected
from .nodes import (
    apply,
    as_size,
    cast,
    cast_size,
    cut,
    expand,
    number,
    reshape,
    size_of,
    stated,
    transpose,
)
from .tensors import MalformedError, UnsupportedError

Step = Callable[[Tensor, list[Tensor]], list[Tensor]]

# Activations with their defaults for alpha and beta; None for a number that one does not take.
_ACTIVATIONS: dict[str, tuple[Callable[..., Tensor], float | None, float | None]] = {
    "Affine": (scaled, 1.0, 0.0),
    "Elu": (lambda x, a, b: selected(_positive(x), x, scaled(apply("Expm1", x), a)), 1.0, None),
    "HardSigmoid": (hard_sigmoid, 0.2, 0.5),
    "LeakyRelu": (lambda x, a, b: apply("LeakyRelu", x, alpha=a), 0.01, None),
    "Relu": (lambda x, a, b: apply("Relu", x), None, None),
    "ScaledTanh": (lambda x, a, b: scaled(apply("Tanh", scaled(x, b)), a), 1.0, 1.0),
    "Sigmoid": (lambda x, a, b: apply("Sigmoid", x), None, None),
    "Softplus": (lambda x, a, b: apply("Softplus", x), None, None),
    "Softsign": (lambda x, a, b: apply("Softsign", x), None, None),
    "Tanh": (lambda x, a, b: apply("Tanh", x), None, None),
    "ThresholdedRelu": (
        lambda x, a, b: selected(apply("Greater", x, number(x, a)), x, number(x, 0)),
        1.0,
        None,
    ),
}


def _positive(x: Tensor) -> Tensor:
    return apply("Greater", x, number(x, 0))


class _Cell:
    """Weights and activations of one direction of a recurrent op.

    Args:
        c: the call.
        direction: its number.
        defaults: the names of its activations where none are stated.
        gates: how many products a step needs.
    """

    def __init__(self, c: Call, direction: int, defaults: list[str], gates: int) -> None:
        def part(index: int) -> Tensor:
            given = stated(c[index], [None] * (2 if index in (3, 7) else 3))
            return apply("GatherV2", given, np.int64(direction), np.int32(0))

        self.c = c
        self.weights, self.recurrent = part(1), part(2)
        hidden = self.recurrent.shape.as_list()[1]
        if hidden is None:
            raise UnsupportedError("hidden_size is not known: not supported")
        self.hidden = hidden
        self.bias = part(3) if c.has(3) else None
        self.peepholes: list[Tensor] = []
        if gates == 4 and c.has(7):
            self.peepholes = list(apply("Split", np.int32(0), part(7), num_split=3))
        names = [x.decode() for x in c.list("activations", [])]
        count = len(defaults)
        # Only the activations that take an alpha or beta use up one of those that are stated.
        alphas, betas = (iter(c.list(f"activation_{x}", [])) for x in ("alpha", "beta"))
        activations = [self._activation(name, alphas, betas) for name in names]
        mine = activations[direction * count : (direction + 1) * count]
        self.activations = mine or [self._activation(name, alphas, betas) for name in defaults]

    def _activation(
        self, name: str, alphas: Iterator[float], betas: Iterator[float]
    ) -> Callable[[Tensor], Tensor]:
        known = next((x for x in _ACTIVATIONS if x.lower() == name.lower()), None)
        if known is None:
            raise MalformedError(f"its activation {name!r} is not known")
        function, alpha, beta = _ACTIVATIONS[known]
        alpha = None if alpha is None else next(alphas, alpha)
        beta = None if beta is None else next(betas, beta)
        clip = self.c.attrs.get("clip")

        def activation(x: Tensor) -> Tensor:
            if clip:
                x = apply("ClipByValue", x, number(x, -clip), number(x, clip))
            return function(x, alpha, beta)

        return activation

    def inputs(self, x: Tensor, count: int, with_recurrent: bool = True) -> Tensor:
        """The products of all steps with the weights of the input, and biases."""
        products = apply("BatchMatMulV2", x, apply("Transpose", self.weights, [1, 0]))
        if self.bias is None:
            return products
        ahead, behind = (
            cut(self.bias, 0, i * count * self.hidden, (i + 1) * count * self.hidden)
            for i in range(2)
        )
        products = apply("AddV2", products, ahead)
        return apply("AddV2", products, behind) if with_recurrent else products

    def product(self, state: Tensor) -> Tensor:
        """The product of a state with the recurrent weights."""
        return apply("MatMul", state, self.recurrent, transpose_b=True)


def _rnn_step(cell: _Cell, x: Tensor, states: list[Tensor]) -> list[Tensor]:
    return [cell.activations[0](apply("AddV2", x, cell.product(states[0])))]


def _lstm_step(cell: _Cell, x: Tensor, states: list[Tensor]) -> list[Tensor]:
    hidden, memory = states
    first, second, third = cell.activations
    gates = apply("AddV2", x, cell.product(hidden))
    entry, exit_, forget, new = apply("Split", np.int32(1), gates, num_split=4)
    peepholes = cell.peepholes
    if peepholes:
        entry = apply("AddV2", entry, apply("Mul", peepholes[0], memory))
        forget = apply("AddV2", forget, apply("Mul", peepholes[2], memory))
    entry, new = first(entry), second(new)
    if cell.c.int("input_forget", 0):
        forget = apply("Sub", number(entry, 1), entry)
    else:
        forget = first(forget)
    memory = apply("AddV2", apply("Mul", forget, memory), apply("Mul", entry, new))
    if peepholes:
        exit_ = apply("AddV2", exit_, apply("Mul", peepholes[1], memory))
    return [apply("Mul", first(exit_), third(memory)), memory]


def _gru_step(
    cell: _Cell, behind: Tensor | None, linear: bool, x: Tensor, states: list[Tensor]
) -> list[Tensor]:
    [state] = states
    first, second = cell.activations
    size = cell.hidden
    update, reset, new = apply("Split", np.int32(1), x, num_split=3)
    gate_weights = cut(cell.recurrent, 0, 0, 2 * size)
    new_weights = cut(cell.recurrent, 0, 2 * size, None)
    gates = apply("MatMul", state, gate_weights, transpose_b=True)
    more_update, more_reset = apply("Split", np.int32(1), gates, num_split=2)
    update = first(apply("AddV2", update, more_update))
    reset = first(apply("AddV2", reset, more_reset))
    if linear:
        recalled = apply("MatMul", state, new_weights, transpose_b=True)
        recalled = recalled if behind is None else apply("AddV2", recalled, behind)
        recalled = apply("Mul", reset, recalled)
    else:
        recalled = apply("MatMul", apply("Mul", reset, state), new_weights, transpose_b=True)
        recalled = recalled if behind is None else apply("AddV2", recalled, behind)
    new = second(apply("AddV2", new, recalled))
    kept = apply("Sub", number(update, 1), update)
    return [apply("AddV2", apply("Mul", kept, new), apply("Mul", update, state))]


def _gru_cell(cell: _Cell, x: Tensor) -> tuple[Tensor, Step]:
    """The inputs of the steps of a GRU, and its step."""
    behind = None
    products = cell.inputs(x, 3, with_recurrent=False)
    if cell.bias is not None:
        size = cell.hidden
        gates = cut(cell.bias, 0, 3 * size, 5 * size)
        behind = cut(cell.bias, 0, 5 * size, None)
        more = apply("ConcatV2", [gates, apply("ZerosLike", behind)], np.int32(0))
        products = apply("AddV2", products, more)
    linear = bool(cell.c.int("linear_before_reset", 0))
    return products, partial(_gru_step, cell, behind, linear)


def _run(x: Tensor, lengths: Any, states: list[Tensor], step: Step) -> tuple[Tensor, list[Tensor]]:
    """A loop over time: the outputs of all steps, and the last states.

    Where sequences have lengths, states stay behind the end of each, and outputs are 0.
    """
    time = as_size(size_of(x, 0))

    def goes_on(i: Tensor, *_: Tensor) -> Tensor:
        return apply("Less", i, time)

    def body(i: Tensor, outputs: Tensor, *states: Tensor) -> list[Tensor]:
        old = list(states)
        new = step(apply("GatherV2", x, i, np.int32(0)), old)
        output = new[0]
        if lengths is not None:
            ongoing = expand(apply("Less", i, lengths), [1])
            output = selected(ongoing, output, number(output, 0))
            new = [selected(ongoing, *pair) for pair in zip(new, old, strict=True)]
        place = cast(i, dtypes.int32)
        outputs = apply("TensorListSetItem", outputs, place, output)
        return [apply("AddV2", i, np.int64(1)), outputs, *new]

    outputs = apply("TensorListReserve", -1, cast_size(time), element_dtype=x.dtype)
    shapes = [TensorShape([]), TensorShape([]), *(state.shape for state in states)]
    start = [apply("Identity", np.int64(0)), outputs, *states]
    _, outputs, *states = while_loop(goes_on, body, start, shapes)
    stacked = stack(outputs, x.dtype, states[0].shape)
    known = x.shape.as_list()[0]
    return (stacked if known is None else reshape_first(stacked, known)), states


def reshape_first(x: Tensor, size: int) -> Tensor:
    """A tensor whose first size is known."""
    return apply("EnsureShape", x, shape=TensorShape([size, *x.shape.as_list()[1:]]))


def _recurrent(kind: str, c: Call) -> Any:
    x, batch_first = stated(c[0], [None] * 3), bool(c.int("layout", 0))
    if batch_first:
        x = transpose(x, [1, 0, 2])
    direction = c.text("direction", "forward")
    count = {"forward": 1, "reverse": 1, "bidirectional": 2}.get(direction)
    if count is None:
        raise MalformedError(f"direction {direction!r} is not known")
    if stated(c[2], [None] * 3).shape.as_list()[0] not in (count, None):
        raise MalformedError(f"its weights {c[2].shape} are not for direction {direction!r}")
    lengths = cast(c[4], dtypes.int64) if c.has(4) else None
    results = []
    for place in range(count):
        backward = direction == "reverse" or place == 1
        results.append(_one_direction(kind, c, x, lengths, place, backward))
    outputs = apply("Pack", [output for output, _ in results], axis=1)
    lasts = [
        apply("Pack", [states[i] for _, states in results], axis=0)
        for i in range(2 if kind == "LSTM" else 1)
    ]
    if batch_first:
        outputs = transpose(outputs, [2, 0, 1, 3])
        lasts = [transpose(last, [1, 0, 2]) for last in lasts]
    return [outputs, *lasts]


def _one_direction(
    kind: str, c: Call, x: Tensor, lengths: Any, place: int, backward: bool
) -> tuple[Tensor, list[Tensor]]:
    if backward:
        x = _reversed(x, lengths)
    defaults, gates = _CELLS[kind]
    cell = _Cell(c, place, defaults, gates)
    step: Step
    if kind == "GRU":
        products, step = _gru_cell(cell, x)
    else:
        products = cell.inputs(x, gates)
        step = partial(_lstm_step if kind == "LSTM" else _rnn_step, cell)
    states = [_first(c, 5, cell, x, place)]
    if kind == "LSTM":
        states.append(_first(c, 6, cell, x, place))
    outputs, states = _run(products, lengths, states, step)
    return (_reversed(outputs, lengths) if backward else outputs), states


def _reversed(x: Tensor, lengths: Any) -> Tensor:
    if lengths is None:
        return apply("ReverseV2", x, [0])
    return apply("ReverseSequence", x, lengths, seq_dim=0, batch_dim=1)


def _first(c: Call, index: int, cell: _Cell, x: Tensor, place: int) -> Tensor:
    """The first state of a direction: that of an input, or zeros."""
    if c.has(index):
        given = stated(c[index], [None] * 3)
        axis = np.int32(1 if c.int("layout", 0) else 0)
        first = apply("GatherV2", given, np.int64(place), axis)
        return apply("EnsureShape", first, shape=TensorShape([None, cell.hidden]))
    sizes = apply("Pack", [as_size(size_of(x, 1)), np.int64(cell.hidden)])
    return reshape(apply("Fill", sizes, number(x, 0)), [size_of(x, 1), cell.hidden])


_CELLS = {
    "GRU": (["Sigmoid", "Tanh"], 3),
    "LSTM": (["Sigmoid", "Tanh", "Tanh"], 4),
    "RNN": (["Tanh"], 1),
}
RULES: dict[str, Rule] = {name: partial(_recurrent, name) for name in _CELLS}
