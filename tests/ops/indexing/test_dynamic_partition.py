"""Partitions and stitches. The examples are those of the documents."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Case, raises
from harness import check
from shape_language import infers, refuses

import tensordraft as td
from tensordraft.ops.indexing import dynamic_partition as partitioning

TWO = {"num_partitions": 2}
INDICES = [6, [4, 1], [[5, 2], [0, 3]]]
DATA = [[61, 62], [[41, 42], [11, 12]], [[[51, 52], [21, 22]], [[1, 2], [31, 32]]]]
MERGED = [[1, 2], [11, 12], [21, 22], [31, 32], [41, 42], [51, 52], [61, 62]]
NO_ROWS = np.zeros((0, 2), np.int32)


def parted(data: object, partitions: object, expected: object, id: str, number: int = 2) -> Case:
    attrs = {"num_partitions": number}
    return Case("DynamicPartition", [data, partitions], attrs, expected, id=id, dynamic=True)


def stitched(indices: list[object], data: list[object], expected: object, id: str = "") -> Case:
    return Case("DynamicStitch", [indices, data], expected=expected, id=id, dynamic=True)


CASES = [
    parted([10, 20], 1, (NO_ROWS, [[10, 20]]), "scalar"),
    parted([10, 20, 30, 40, 50], [0, 0, 1, 1, 0], ([10, 20, 50], [30, 40]), "vector"),
    parted([[1, 2], [3, 4]], [[1, 0], [1, 1]], ([2], [1, 3, 4]), "matrix"),
    parted([[1, 2], [3, 4]], [0, 0], [[1, 2], [3, 4]], "one", number=1),
    parted([b"a", b"b"], [2, 0], ([b"b"], np.zeros(0, object), [b"a"]), "strings", number=3),
    parted(np.zeros((0, 2), np.int32), np.zeros(0, np.int32), (NO_ROWS, NO_ROWS), "none"),
    parted([1, 2], [1, -1], raises(r"partitions\[1\] = -1 is not in \[0, 2\)", "run"), "negative"),
    parted([1, 2], [0, 2], raises(r"partitions\[1\] = 2 is not in \[0, 2\)", "run"), "past-end"),
    parted([1, 2, 3], [0, 1], raises("the shape of data must start with"), "differs"),
    stitched(INDICES, DATA, MERGED),
    stitched([[0, 1], [1, 2]], [[1, 2], [3, 4]], [1, 3, 4], "twice"),
    # The documents say that the size is the largest index; it is one more.
    stitched([[3]], [[7]], [0, 0, 0, 7], "gap"),
    stitched([np.zeros(0, np.int32)], [NO_ROWS], NO_ROWS, "none"),
    stitched([[1], 0], [[b"a"], b"b"], [b"b", b"a"], "strings"),
    stitched(
        [[0, -1]], [[1, 2]], raises(r"indices\[0\]\[1\] = -1 is not in \[0, 1\)", "run"), "negative"
    ),
    stitched(
        [[0, 1]], [[1, 2, 3]], raises(r"(the shape of )?data\[0\] must (start|have)"), "prefix"
    ),
    stitched([[0], [1]], [[[1, 2]], [[1, 2, 3]]], raises("what follows|followed by"), "rest"),
    Case("ParallelDynamicStitch", [INDICES, DATA], expected=MERGED, dynamic=True),
]


test_partitioning = check(CASES)


def test_shapes() -> None:
    infers("DynamicPartition", "[n,m,3];[n]", "[?,m,3];[?,m,3]", **TWO)
    infers("DynamicPartition", "[4,m];", "[3,m];[1,m]", values={"partitions": [0, 1, 0, 0]}, **TWO)
    infers("DynamicPartition", "[4,m];?", "?;?", **TWO)
    infers("DynamicStitch", "[n] + [];[n,m] + [m]", "[?,m]")
    infers("DynamicStitch", " + ;[2,m] + [m]", "[8,m]", values={"indices": [[0, 1], 7]})
    refuses("DynamicStitch", "[2] + [2];[2,3] + [2,4]", "equal shapes")
    refuses("DynamicPartition", "[];[1]", "must start with", num_partitions=1)


def test_sizes_are_followed() -> None:
    with td.Graph().as_default():
        sizes = td.shape(td.placeholder(td.float32, ["batch", "depth"]))
        assert (
            str(td.zeros(td.dynamic_stitch([[1, 0], 2], [sizes, 5])).shape) == "(depth, batch, 5)"
        )


def test_stitch_undoes_partition() -> None:
    random = np.random.default_rng(0)
    x = random.integers(0, 99, (300, 2))
    partitions = random.integers(0, 70, 300).astype(np.int32)
    with td.Graph().as_default(), td.Session() as session:
        parts = td.dynamic_partition(x, partitions, 70)
        places = td.dynamic_partition(np.arange(300, dtype=np.int32), partitions, 70)
        np.testing.assert_array_equal(session.run(td.dynamic_stitch(places, parts)), x)


@pytest.mark.parametrize("number", [3, 70])
def test_many_rows_are_partitioned_block_by_block(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partitioning, "_BLOCK", 128)
    random = np.random.default_rng(0)
    x, owners = random.random((300, 2)), random.integers(0, number - 1, 300, np.int32)
    fed = td.placeholder(td.int32, [300])
    parts = td.dynamic_partition(x, fed, number)
    with td.Session() as session:
        found = session.run(parts, {fed: owners})
        with pytest.raises(ValueError, match=r"partitions\[7\] = 70 is not in \[0, "):
            session.run(parts, {fed: np.where(np.arange(300) == 7, 70, owners)})
    for i, part in enumerate(found):
        np.testing.assert_array_equal(part, x[owners == i])
