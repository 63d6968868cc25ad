"""What the training ops are given, here and under TensorFlow: no part of either is imported."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

SHAPE = (4, 3)
NUMBERS = {
    "alpha": 0.3,
    "beta": 0.9,
    "beta1": 0.9,
    "beta1_power": 0.81,
    "beta2": 0.99,
    "beta2_power": 0.95,
    "epsilon": 0.01,
    "global_step": 3,
    "l1": 0.05,
    "l2": 0.1,
    "l2_shrinkage": 0.2,
    "logbase": 1.1,
    "lr": 0.2,
    "lr_power": -0.5,
    "momentum": 0.9,
    "rho": 0.8,
    "sign_decay": 0.7,
}
FLAGS = ("multiply_linear_by_lr", "update_slots", "use_nesterov")
_GRADIENTS = ("grad", "delta")
_ALTERNATIVES = {"l1": [0.05, 0.0], "lr_power": [-0.5, -0.8]}


class Variant(NamedTuple):
    """One way to call a training op."""

    flag: bool | None
    numbers: dict[str, float]
    rows: list[int] | None

    def __str__(self) -> str:
        said = [*(f"{key}={value}" for key, value in self.numbers.items())]
        said += [] if self.flag is None else [str(self.flag)]
        said += [] if self.rows is None else [f"rows={self.rows}"]
        return ", ".join(said)


def variants(arguments: Sequence[str], has_flag: bool) -> Iterator[Variant]:
    """The ways to call an op with these arguments."""
    varied = [name for name in _ALTERNATIVES if name in arguments]
    rows: list[Any] = [[2, 0], [1, 3, 1]] if "indices" in arguments else [None]
    for flag in [False, True] if has_flag else [None]:
        for values in itertools.product(*(_ALTERNATIVES[name] for name in varied)):
            for some in rows:
                yield Variant(flag, dict(zip(varied, values, strict=True)), some)


def inputs(arguments: Sequence[str], variant: Variant) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values of the variables, and the other inputs, of an op with these arguments."""
    rng = np.random.RandomState(len(arguments))
    variables, others = {}, {}
    for name in arguments:
        if name in _GRADIENTS:
            sizes = SHAPE if variant.rows is None else (len(variant.rows), *SHAPE[1:])
            others[name] = rng.uniform(-2, 2, sizes).astype(np.float32)
        elif name == "indices":
            others[name] = np.array(variant.rows, np.int32)
        elif name in NUMBERS:
            dtype = np.int64 if name == "global_step" else np.float32
            others[name] = np.array(variant.numbers.get(name, NUMBERS[name]), dtype)
        else:
            value = rng.uniform(-1, 1, SHAPE)
            if name != "var":
                value = np.abs(value) + (1.5 if name in ("ms", "accum", "vhat") else 0.1)
            variables[name] = value.astype(np.float32)
    return variables, others
