"""An LSTM that predicts the next character: as graph ops with a loop, and by hand in NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

CHARACTERS, UNITS, LENGTH, LINES = 64, 128, 25, 32
SIZES = (
    (CHARACTERS, 4 * UNITS),
    (UNITS, 4 * UNITS),
    (4 * UNITS,),
    (UNITS, CHARACTERS),
    (CHARACTERS,),
)


def characters(lib: Any, ids: Any, wx: Any, wh: Any, b: Any, wo: Any, bo: Any) -> Any:
    """The logits of what follows each character of `ids` [length, lines], as rows."""
    seen = lib.TensorArray(lib.float32, LENGTH).unstack(lib.nn.embedding_lookup(wx, ids) + b)
    states = lib.TensorArray(lib.float32, LENGTH, element_shape=[LINES, UNITS])

    def step(t: Any, h: Any, c: Any, states: Any) -> Any:
        gates = lib.split(seen.read(t) + lib.matmul(h, wh), 4, 1)
        let_in, forget, let_out = (lib.sigmoid(gate) for gate in gates[:3])
        c = forget * c + let_in * lib.tanh(gates[3])
        h = let_out * lib.tanh(c)
        return t + 1, h, c, states.write(t, h)

    none = lib.zeros([LINES, UNITS])
    states = lib.while_loop(lambda t, *_: t < LENGTH, step, (0, none, none, states))[3]
    return lib.matmul(lib.reshape(states.stack(), [-1, UNITS]), wo) + bo


def forwards(ids: Array, wx: Array, wh: Array, b: Array) -> list[tuple[Array, ...]]:
    """For each character the gates, the tangents of new and kept cells, cells before, and states.

    The last three are those before the character; one more entry holds the final states.
    """
    h = c = np.zeros((LINES, UNITS), np.float32)
    kept: list[tuple[Array, ...]] = []
    for line in ids:
        gates = wx[line]
        gates += b
        gates += h @ wh
        flags = 1 / (1 + np.exp(-gates[:, : 3 * UNITS]))
        new = np.tanh(gates[:, 3 * UNITS :])
        after = flags[:, UNITS : 2 * UNITS] * c + flags[:, :UNITS] * new
        shown = np.tanh(after)
        kept.append((flags, new, shown, c, h))
        h, c = flags[:, 2 * UNITS :] * shown, after
    return [*kept, (h,)]


def characters_by_hand(
    slope_of_loss: Any, ids: Array, labels: Array, *weights: Array
) -> list[Array]:
    """The gradients of the weights."""
    wx, wh, b, wo, bo = weights
    *kept, last = forwards(ids, wx, wh, b)
    states = np.concatenate([*(entry[4] for entry in kept[1:]), last[0]])
    slope = slope_of_loss(states @ wo + bo, labels)
    below = (slope @ wo.T).reshape(LENGTH, LINES, UNITS)
    of_gates = np.empty((LENGTH, LINES, 4 * UNITS), np.float32)
    to_h = to_c = np.zeros((LINES, UNITS), np.float32)
    for t in range(LENGTH - 1, -1, -1):
        flags, new, shown, c, _ = kept[t]
        let_in, forget, let_out = (flags[:, i * UNITS : (i + 1) * UNITS] for i in range(3))
        to_h = to_h + below[t]
        to_c = to_c + to_h * let_out * (1 - shown * shown)
        place = of_gates[t]
        place[:, :UNITS] = to_c * new
        place[:, UNITS : 2 * UNITS] = to_c * c
        place[:, 2 * UNITS : 3 * UNITS] = to_h * shown
        place[:, : 3 * UNITS] *= flags * (1 - flags)
        place[:, 3 * UNITS :] = to_c * let_in * (1 - new * new)
        to_h, to_c = place @ wh.T, to_c * forget
    rows = of_gates.reshape(-1, 4 * UNITS)
    before = np.concatenate([entry[4] for entry in kept])
    of_wx = np.zeros_like(wx)
    np.add.at(of_wx, ids.reshape(-1), rows)
    return [of_wx, before.T @ rows, rows.sum(0), states.T @ slope, slope.sum(0)]
