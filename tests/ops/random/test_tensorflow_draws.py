"""Random numbers equal those of TensorFlow 2.21 on a CPU, recorded run by run, bit for bit.

Where NumPy's logarithms have a part in it, the last bits depend on the processor.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import covers

import tensordraft as td
from tensordraft.graph.registry import lookup
from tensordraft.ops.random.philox import Philox

FILES = "tensorflow_draws.json", "draws_of_parameters.json"
RECORDS = [
    record for name in FILES for record in json.loads((Path(__file__).parent / name).read_text())
]
covers(*{record["op"] for record in RECORDS})
ROUNDED = ("CandidateSampler", "Gamma", "GammaV2", "GammaV3")


def array(record: list[Any]) -> np.ndarray:
    name, shape, data = record
    return np.frombuffer(bytes.fromhex(data), td.as_dtype(name).numpy_dtype).reshape(shape)


@pytest.mark.parametrize("record", RECORDS, ids=[record["op"] for record in RECORDS])
def test_draws(record: dict[str, Any]) -> None:
    with td.Graph().as_default(), td.Session() as session:
        made = lookup(record["op"])(*map(array, record["inputs"]), **record["attrs"])
        outputs = list(made) if isinstance(made, tuple) else [made]
        for run in record["runs"]:
            for drawn, expected in zip(session.run(outputs), map(array, run), strict=True):
                drawn = np.asarray(drawn)
                assert drawn.dtype == expected.dtype
                assert drawn.shape == expected.shape
                if record["op"].endswith(ROUNDED) and drawn.dtype.kind == "f":
                    np.testing.assert_array_max_ulp(drawn, expected, 2)
                else:
                    assert drawn.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("seed", "op_seed", "expected"),
    [
        (None, None, (None, None)),
        (None, 4, (87654321, 4)),
        (3, 4, (3, 4)),
        (3, None, (3, 2)),
        (2**31 - 1, 2**31 + 1, (0, 2)),
        (-1, -1, (2**31 - 2, 2**31 - 2)),
    ],
)
def test_seeds_combine(seed: int | None, op_seed: int | None, expected: tuple[Any, Any]) -> None:
    with td.Graph().as_default():
        td.constant(1)
        td.constant(1)
        td.set_random_seed(seed)
        assert td.get_seed(op_seed) == expected


def test_blocks_and_carries_are_one_stream() -> None:
    stream = Philox(5, 2**64 - 3)
    words = stream.words(20_000)
    np.testing.assert_array_equal(stream.words(10, 9_000), words[9_000:9_010])
    np.testing.assert_array_equal(stream.words_at(np.array([19_999, 0])), words[[19_999, 0]])
    np.testing.assert_array_equal(Philox(5, 2**64).words(4), words[3:7])
    ahead = Philox(5, 2**128 - 1)
    ahead.reserve(2)
    assert ahead.counter == 1
    np.testing.assert_array_equal(np.concatenate([next(stream.stream())]), words[:16].ravel())


# How many ops precede the random one, and are made in all: TensorFlow 1.x's numbers, so that a
# graph seed is enough to give its draws.
OPS = {
    "random_uniform": (lambda: td.random_uniform([3]), 3, 7),
    "random_uniform of integers": (lambda: td.random_uniform([3], 0, 9, td.int32), 3, 4),
    "random_normal": (lambda: td.random_normal([3]), 3, 6),
    "truncated_normal": (lambda: td.truncated_normal([3]), 3, 6),
    "random_shuffle": (lambda: td.random_shuffle(td.constant([1, 2])), 1, 2),
    "multinomial": (lambda: td.multinomial([[0.0, 1.0]], 3), 1, 3),
    "random_gamma": (lambda: td.random_gamma([3], [1.0, 2.0]), 5, 9),
    "random_uniform_initializer": (lambda: td.random_uniform_initializer()([2, 3]), 3, 7),
    "random_normal_initializer": (lambda: td.random_normal_initializer()([2, 3]), 3, 6),
    "truncated_normal_initializer": (lambda: td.truncated_normal_initializer()([2, 3]), 3, 6),
    "glorot_uniform_initializer": (lambda: td.glorot_uniform_initializer()([2, 3]), 3, 7),
    "glorot_normal_initializer": (lambda: td.glorot_normal_initializer()([2, 3]), 3, 6),
    "variance_scaling_initializer": (lambda: td.variance_scaling_initializer()([2, 3]), 3, 6),
    "orthogonal_initializer": (lambda: td.orthogonal_initializer()([2, 3]), 3, 16),
    "get_variable": (lambda: td.get_variable("v", [2, 3], use_resource=False), 3, 10),
    "dropout": (lambda: td.nn.dropout(td.placeholder(td.float32, [2]), 0.5), 5, None),
}


@pytest.mark.parametrize("case", OPS.values(), ids=OPS)
def test_ops_made(case: tuple[Any, int, int | None]) -> None:
    make, before, count = case
    with td.Graph().as_default() as graph:
        td.set_random_seed(3)
        make()
        operations = graph.get_operations()
        seeds = [op.node_def.attr["seed2"].i for op in operations if "seed2" in op.node_def.attr]
        assert seeds == [before]
        assert count is None or len(operations) == count
