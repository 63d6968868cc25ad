"""Calls add as many ops as TensorFlow's, of which the seeds of later ops are made; or it is said.

TensorFlow's numbers are those of 2.21 in graph mode. Where 1.15 differs, ours are meant to be its.
"""

from __future__ import annotations

import json

import pytest
from op_count_cases import CASES
from places import GOLDEN

import tensordraft as td

RECORDED: dict[str, int] = json.loads((GOLDEN / "training" / "op_counts.json").read_text())
OLDER = "1.15 adds other ops than 2.21"
SIZES = "sizes are known: TensorFlow computes them in the graph, at every run"
ONE_OP = "one op, or fewer, compute the same: TensorFlow's would cost time at every run"
CHECKS = "TensorFlow adds the parts of checks that hold anyway"
OWN = "built otherwise"
# What a call adds here, where that differs, and why.
OTHERWISE: dict[str, tuple[int, str]] = {
    "random_uniform": (7, OLDER),
    "random_gamma": (9, OLDER),
    "random_crop": (14, CHECKS),
    "ones_like": (2, ONE_OP),
    "ones_like static": (2, ONE_OP),
    "get_variable identity": (4, ONE_OP),
    "get_variable regularized": (11, OLDER),
    "conv2d_transpose": (19, SIZES),
    "conv2d_transpose open": (26, SIZES),
    "conv3d_transpose": (19, SIZES),
    "separable_conv1d": (35, OLDER),
    "separable_conv2d": (28, OLDER),
    "flatten": (8, OLDER),
    "dropout on": (15, OLDER),
    "batch_normalization fused": (25, OWN),
    "batch_normalization fused training": (49, OWN),
    "nn.dropout": (15, OLDER),
    "nn.batch_normalization": (13, OWN),
    "nn.sigmoid_ce": (10, ONE_OP),
    "nn.softmax_ce": (3, ONE_OP),
    "nn.softmax_ce_v2": (3, ONE_OP),
    "nn.sparse_ce": (3, CHECKS),
    "nn.embedding_lookup": (4, ONE_OP),
    "reduce_logsumexp": (14, OWN),
    "gather": (3, ONE_OP),
    "clip_by_norm": (14, OWN),
    "linspace": (4, OLDER),
    "losses.mse": (21, CHECKS),
    "losses.softmax": (21, CHECKS),
    "losses.sparse": (22, CHECKS),
    "losses.sigmoid": (28, CHECKS),
    "losses.absolute": (22, CHECKS),
    "losses.hinge": (28, CHECKS),
    "losses.log": (34, CHECKS),
    "losses.huber": (31, CHECKS),
    "metrics.accuracy": (20, OLDER),
    "metrics.mean": (17, OLDER),
    "dense rank3": (35, OLDER),
    "tensordot": (13, OLDER),
    "tensordot open": (21, OWN),
    "image.flip": (13, OWN),
    "image.standardization": (22, OWN),
    "minimize, GradientDescent": (15, ONE_OP),
    "minimize, Momentum": (20, ONE_OP),
    "minimize, Adagrad": (19, ONE_OP),
    "minimize, Adadelta": (25, ONE_OP),
    "minimize, RMSProp": (26, ONE_OP),
    "minimize, Adam": (40, ONE_OP),
    "minimize, Ftrl": (26, ONE_OP),
}


@pytest.mark.parametrize("name", CASES)
def test_as_many_ops_are_added(name: str) -> None:
    with td.Graph().as_default() as graph:
        CASES[name](td)
        number = len(graph.get_operations())
    assert number == OTHERWISE.get(name, (RECORDED[name], ""))[0]


def test_what_is_otherwise_differs_and_has_a_reason() -> None:
    assert all(number != RECORDED[name] and why for name, (number, why) in OTHERWISE.items())
