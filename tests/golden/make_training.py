"""Writes what TensorFlow's training ops, optimizers and schedules compute, with 2.21.

python tests/golden/make_training.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]
from tensorflow.python.framework import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
    op_def_registry,
)

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from training_inputs import FLAGS, OPTIMIZERS, SCHEDULES, inputs, scheduled, trained, variants

FOLDER = Path(__file__).resolve().parent / "training"
STEPS_OF = (
    "GradientDescent Momentum KerasMomentum Adagrad AdagradV2 AdagradDA Adadelta RMSProp "
    "CenteredRMSProp Adam AdamWithAmsgrad AdaMax Ftrl FtrlV2 ProximalGradientDescent "
    "ProximalAdagrad AddSign PowerSign"
)


def rounded(value: Any) -> list[float]:
    """The elements of a float32 array, in order."""
    return [float(f"{item:.8g}") for item in np.ravel(value)]


def updates() -> dict[str, list[list[float]]]:
    """Values of the variables after the training ops."""
    found = {}
    for name in STEPS_OF.split():
        for kind in (f"ResourceApply{name}", f"ResourceSparseApply{name}"):
            definition = op_def_registry.get(kind)
            if definition is None:
                continue
            arguments = [arg.name for arg in definition.input_arg]
            flag = next((attr.name for attr in definition.attr if attr.name in FLAGS), None)
            for variant in variants(arguments, flag is not None):
                values, others = inputs(arguments, variant)
                with tf.Graph().as_default(), tf.Session() as session:
                    variables = {
                        key: tf.Variable(value, use_resource=True) for key, value in values.items()
                    }
                    session.run(tf.global_variables_initializer())
                    attrs = {} if flag is None else {flag: variant.flag}
                    handles = {key: variable.handle for key, variable in variables.items()}
                    session.run(getattr(tf.raw_ops, kind)(**handles, **others, **attrs))
                    result = session.run(list(variables.values()))
                found[f"{kind}: {variant}"] = [rounded(value) for value in result]
    return found


def optimizers() -> dict[str, dict[str, list[float]]]:
    """The losses of ten steps with each optimizer, and the variables after them."""
    found = {}
    for name in OPTIMIZERS:
        losses, variables = trained(tf, name, use_resource=False)
        values = {key: rounded(value) for key, value in variables.items()}
        found[name] = {"losses": rounded(losses), **values}
    return found


def schedules() -> dict[str, list[float]]:
    """The rates of each schedule."""
    return {name: rounded(scheduled(tf, name)) for name in SCHEDULES}


if __name__ == "__main__":
    tf.disable_eager_execution()
    for make in (updates, optimizers, schedules):
        lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in make().items()]
        text = "{\n" + ",\n".join(lines) + "\n}\n"
        FOLDER.joinpath(f"{make.__name__}.json").write_text(text)
