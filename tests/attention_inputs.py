"""Inputs and NumPy formulas of the tests of attention and of decoders."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensordraft as td

s2s = td.contrib.seq2seq
RANDOM = np.random.RandomState(0)
MEMORY = RANDOM.normal(size=(2, 4, 3)).astype("f")
QUERY = RANDOM.normal(size=(2, 5)).astype("f")
STEPS = np.array([4, 2])
BETWEEN: Any = td.random_uniform_initializer(-1, 1, seed=3)


def softmax(x: Any) -> Any:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def names() -> list[str]:
    return [variable.op.name for variable in td.global_variables()]
