"""The most memory that an op allocates at once, against the size of its result: bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from timing import Row, peak_bytes

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_RESULT = 64 << 20


def rows() -> Iterator[Row]:
    """Ops whose result is much larger than their inputs."""
    rng = np.random.default_rng(0)
    indices = rng.integers(0, 1 << 12, (1 << 12, 1), np.int32)
    updates = rng.random((1 << 12, 1 << 12), np.float32)
    yield _row("scatter_nd", lambda: td.scatter_nd(indices, updates, [1 << 12, 1 << 12]))
    yield _row("one_hot", lambda: td.one_hot(indices[:, 0], 1 << 12))
    yield _row("sequence_mask", lambda: td.sequence_mask(indices[:, 0] + (1 << 10), 1 << 14))
    image = rng.random((1, 1 << 9, 1 << 9, 7), np.float32)
    yield _row(
        "extract_image_patches",
        lambda: td.extract_image_patches(image, [1, 3, 3, 1], [1, 1, 1, 1], [1, 1, 1, 1], "SAME"),
    )
    yield _chain()


def _row(name: str, build: Callable[[], Any]) -> Row:
    with td.Graph().as_default(), td.Session() as session:
        fetch = build()
        # What is constant would be computed with the plan: an op on what is fed is wanted here.
        inputs = [tensor for tensor in fetch.op.inputs if tensor.op.type == "Const"]
        feeds = [session.run(tensor) for tensor in inputs]
        call = session.make_callable(fetch, inputs)
        call(*feeds)
        result = call(*feeds).nbytes
        return Row(name, peak_bytes(lambda: call(*feeds)), result, 2.5, "B")


def _chain() -> Row:
    """40 ops in a row on 64 MiB: how many such arrays are alive at once."""
    value = np.ones(_RESULT // 4, np.float32)
    with td.Graph().as_default(), td.Session() as session:
        x = y = td.placeholder(td.float32, [None])
        for _ in range(40):
            y = td.exp(-y) if y is not x else -y
        call = session.make_callable(y, [x])
        return Row("40 ops in a row", peak_bytes(lambda: call(value)), _RESULT, 3.0, "B")
