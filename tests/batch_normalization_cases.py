"""Batch normalization with `renorm` and in virtual batches, trained here and in TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np

STEPS = 10
LIMITS = {"rmax": 1.5, "rmin": 0.8, "dmax": 0.3}
CASES: dict[str, dict[str, Any]] = {
    "renorm": {"renorm": True, "renorm_momentum": 0.9},
    "renorm, clipped": {"renorm": True, "renorm_clipping": LIMITS, "renorm_momentum": 0.8},
    "renorm, images": {"renorm": True, "momentum": 0.9},
    "virtual batches": {"virtual_batch_size": 4},
    "virtual batches, images": {"virtual_batch_size": 2, "scale": False},
    "virtual batches, renorm": {"virtual_batch_size": 4, "renorm": True, "momentum": 0.9},
}


def trained(lib: Any, batch_normalization: Any, case: str) -> tuple[list[float], dict[str, Any]]:
    """The losses of ten steps, and the variables after them.

    Args:
        lib: tensordraft or TensorFlow.
        batch_normalization: its layer as a function.
        case: which case.
    """
    shape = [4, 3, 3, 2] if "images" in case else [8, 3]
    random = np.random.RandomState(7)
    with lib.Graph().as_default(), lib.Session() as session:
        x, training = lib.placeholder("float32", shape), lib.placeholder("bool", [])
        expected = training if case == "renorm" else True
        y = batch_normalization(x, training=expected, **CASES[case])
        wanted = random.normal(size=shape).astype(np.float32)
        loss = lib.reduce_mean(lib.square(y - lib.constant(wanted)))
        with lib.control_dependencies(lib.get_collection(lib.GraphKeys.UPDATE_OPS)):
            step = lib.train.GradientDescentOptimizer(0.1).minimize(loss)
        session.run(lib.global_variables_initializer())
        losses = []
        for i in range(STEPS):
            fed = (random.normal(size=shape) * (1 + i) + i / 3).astype(np.float32)
            losses.append(float(session.run([loss, step], {x: fed, training: True})[0]))
        names = [variable.op.name for variable in lib.global_variables()]
        return losses, dict(zip(names, session.run(lib.global_variables()), strict=True))
