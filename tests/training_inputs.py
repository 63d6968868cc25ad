"""Inputs of the training ops, here and in TensorFlow; imports neither."""

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


STEPS = 10

OPTIMIZERS: dict[str, Any] = {
    "GradientDescent": lambda train, step: train.GradientDescentOptimizer(0.1),
    "Momentum": lambda train, step: train.MomentumOptimizer(0.1, 0.9),
    "Nesterov": lambda train, step: train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "Adagrad": lambda train, step: train.AdagradOptimizer(0.3),
    "AdagradDA": lambda train, step: train.AdagradDAOptimizer(
        0.3, step, l1_regularization_strength=0.01
    ),
    "Adadelta": lambda train, step: train.AdadeltaOptimizer(1.0, 0.9, 1e-3),
    "RMSProp": lambda train, step: train.RMSPropOptimizer(0.05, momentum=0.5),
    "centered": lambda train, step: train.RMSPropOptimizer(0.05, epsilon=0.01, centered=True),
    "Adam": lambda train, step: train.AdamOptimizer(0.1),
    "Ftrl": lambda train, step: train.FtrlOptimizer(0.3, l1_regularization_strength=0.02),
    "shrinkage": lambda train, step: train.FtrlOptimizer(
        0.3, l2_shrinkage_regularization_strength=0.05
    ),
    "ProximalGradientDescent": lambda train, step: train.ProximalGradientDescentOptimizer(
        0.1, 0.02, 0.1
    ),
    "ProximalAdagrad": lambda train, step: train.ProximalAdagradOptimizer(0.3, 0.1, 0.02, 0.1),
}


def training(tf: Any, name: str, use_resource: bool) -> tuple[Any, Any]:
    """The loss and the step of an optimizer, in the graph in force.

    One variable gets gradients of all of it, the other of three of its rows, one of them twice.
    """
    rng = np.random.RandomState(3)
    values = [rng.uniform(-1, 1, sizes).astype(np.float32) for sizes in ((3, 2), (5, 3), (4, 2))]
    kernel = tf.Variable(values[0], name="layer/kernel", use_resource=use_resource)
    table = tf.Variable(values[1], name="table", use_resource=use_resource)
    step = tf.train.get_or_create_global_step()
    rows = tf.nn.embedding_lookup(table, [1, 4, 1, 2])
    loss = tf.reduce_sum(tf.square(tf.matmul(rows, kernel) - values[2]))
    return loss, OPTIMIZERS[name](tf.train, step).minimize(loss, step)


def trained(tf: Any, name: str, use_resource: bool) -> tuple[list[Any], dict[str, Any]]:
    """The loss at each of ten steps, and all variables after them, by name."""
    with tf.Graph().as_default(), tf.Session() as session:
        loss, train = training(tf, name, use_resource)
        session.run(tf.global_variables_initializer())
        losses = [session.run([loss, train])[0] for _ in range(STEPS)]
        variables = {v.op.name: v for v in tf.global_variables()}
        return losses, session.run(variables)


SCHEDULES: dict[str, Any] = {
    "exponential": lambda train, step: train.exponential_decay(0.5, step, 7, 0.9),
    "staircase": lambda train, step: train.exponential_decay(0.5, step, 7, 0.9, staircase=True),
    "natural": lambda train, step: train.natural_exp_decay(0.5, step, 7, 0.9),
    "natural staircase": lambda train, step: train.natural_exp_decay(0.5, step, 7, 0.9, True),
    "inverse time": lambda train, step: train.inverse_time_decay(0.5, step, 7, 0.9),
    "inverse staircase": lambda train, step: train.inverse_time_decay(0.5, step, 7, 0.9, True),
    "polynomial": lambda train, step: train.polynomial_decay(0.5, step, 7, 0.1, 2.0),
    "cycle": lambda train, step: train.polynomial_decay(0.5, step, 7, 0.1, 2.0, cycle=True),
    "pieces": lambda train, step: train.piecewise_constant(step, [3, 9], [0.5, 0.2, 0.1]),
    "cosine": lambda train, step: train.cosine_decay(0.5, step, 15, 0.1),
    "restarts": lambda train, step: train.cosine_decay_restarts(0.5, step, 5, 1.5, 0.8, 0.1),
    "even restarts": lambda train, step: train.cosine_decay_restarts(0.5, step, 5, 1.0),
    "linear cosine": lambda train, step: train.linear_cosine_decay(0.5, step, 15, 1.5, 0.1),
    "noisy": lambda train, step: train.noisy_linear_cosine_decay(0.5, step, 15, 0.0),
}


def scheduled(tf: Any, name: str) -> list[Any]:
    """The rates at steps 0 to 19."""
    with tf.Graph().as_default(), tf.Session() as session:
        step = tf.placeholder(tf.int64, [])
        rate = SCHEDULES[name](tf.train, step)
        return [session.run(rate, {step: i}) for i in range(20)]
