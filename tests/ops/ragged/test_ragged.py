"""Ragged tensors on the wire: made, gathered, dense and sparse."""

from __future__ import annotations

import dataclasses

import numpy as np
from cases import Case, raises
from harness import check
from shape_language import infers, refuses

import tensordraft as td

I: td.DType = td.int64  # noqa: E741
SPLITS = ([0, 2, 2, 5], I)
OUTER = ([0, 2, 3], I)
VALUES = [1.0, 2.0, 3.0, 4.0, 5.0]
BY_SPLITS = {"row_partition_types": ["ROW_SPLITS"]}
NESTED = {"row_partition_types": ["ROW_SPLITS", "ROW_SPLITS"]}
BY_ROWS = {"row_partition_types": ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]}
ANY = (-1, I)

CROSS = {
    "hashed_output": False,
    "num_buckets": 0,
    "hash_key": 956888297470,
    "out_values_type": td.string,
    "out_row_splits_type": td.int64,
}
HASHED = CROSS | {"hashed_output": True, "out_values_type": td.int64}
# A ragged column, a sparse one of numbers, and a dense one.
COLUMNS = [
    [["a", "b", "c"]],
    [([0, 1, 3], td.int32)],
    [([[0, 0], [0, 1], [1, 0]], I)],
    [([1, 2, 3], I)],
    [([2, 2], I)],
    [[["x"], ["y"]]],
]

CASES = [
    Case(
        "RaggedCross",
        COLUMNS,
        CROSS | {"input_order": "DRS"},
        (["x_X_a_X_1", "x_X_a_X_2", "y_X_b_X_3", "y_X_c_X_3"], ([0, 2, 4], I)),
    ),
    Case(
        "RaggedCross",
        [[["a", "b", "c"]], [([0, 1, 3], I)], [], [], [], [[["x"], ["y"]]]],
        HASHED | {"input_order": "RD", "num_buckets": 100, "out_row_splits_type": td.int32},
        (([92, 5, 60], I), [0, 1, 3]),
        id="hashed",
    ),
    Case(
        "RaggedCross",
        COLUMNS,
        CROSS | {"input_order": "DRD"},
        raises("must hold 1 R, 1 S and 1 D, got 'DRD'", "run"),
        id="order",
    ),
    Case(
        "RaggedCross",
        [*COLUMNS[:5], [[["x"]]]],
        CROSS | {"input_order": "RSD"},
        raises(r"one number of rows, got \[2, 2, 1\]", "run"),
        id="rows",
    ),
    Case(
        "RaggedCross",
        [COLUMNS[0], [([0, 4, 3], I)], *COLUMNS[2:]],
        CROSS | {"input_order": "RSD"},
        raises("ragged_row_splits.0. must rise from 0 to 3", "run"),
        id="splits",
    ),
    Case(
        "RaggedCross",
        [COLUMNS[0], [], *COLUMNS[2:]],
        CROSS | {"input_order": "RSD"},
        raises("1 ragged values, 0 splits", "run"),
        id="numbers",
    ),
    Case(
        "RaggedCross",
        COLUMNS,
        HASHED | {"input_order": "RSD", "out_values_type": td.string},
        raises("int64 where hashed_output is true and else strings, got strings", "run"),
        id="dtype",
    ),
    Case(
        "RaggedRange",
        [[2, 7, 5, 1], [5, 7, 0, 2], [1, 1, -2, 5]],
        {},
        (([0, 3, 3, 6, 7], I), [2, 3, 4, 5, 3, 1, 1]),
    ),
    Case(
        "RaggedRange",
        [0.0, [1.0, 0.5], 0.25],
        {"Tsplits": td.int32},
        ([0, 4, 6], [0, 0.25, 0.5, 0.75, 0, 0.25]),
        id="floats",
    ),
    Case("RaggedRange", [1, 3, 0], {}, raises(r"deltas\[0\] must not be 0", "run"), id="zero"),
    Case(
        "RaggedRange",
        [[1, 2], [3], 1],
        {},
        raises("must have equal shapes|of one length"),
        id="sizes",
    ),
    Case(
        "RaggedGather",
        [[SPLITS], VALUES, [2, 0, 2]],
        {"OUTPUT_RAGGED_RANK": 1},
        (([0, 3, 5, 8], I), [3.0, 4.0, 5.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
    ),
    Case(
        "RaggedGather",
        [[OUTER, SPLITS], ["a", "b", "c", "d", "e"], [[1], [0]]],
        {"OUTPUT_RAGGED_RANK": 3},
        (([0, 1, 2], I), ([0, 1, 3], I), ([0, 3, 5, 5], I), ["c", "d", "e", "a", "b"]),
        id="nested",
    ),
    Case(
        "RaggedGather",
        [[SPLITS], VALUES, [3]],
        {"OUTPUT_RAGGED_RANK": 1},
        raises(r"indices\[0\] = 3 is not in \[0, 3\)", "run"),
        id="outside",
    ),
    Case(
        "RaggedTensorToSparse",
        [[SPLITS], VALUES],
        {},
        (([[0, 0], [0, 1], [2, 0], [2, 1], [2, 2]], I), VALUES, ([3, 3], I)),
    ),
    Case(
        "RaggedTensorToSparse",
        [[OUTER, SPLITS], [[1], [2], [3], [4], [5]]],
        {},
        (
            ([[0, 0, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [1, 0, 1, 0], [1, 0, 2, 0]], I),
            [1, 2, 3, 4, 5],
            ([2, 2, 3, 1], I),
        ),
        id="nested",
    ),
    Case(
        "RaggedTensorToSparse",
        [[([0, 0], I)], np.zeros(0, np.int32)],
        {},
        ((np.zeros((0, 2)), I), np.zeros(0, np.int32), ([1, 0], I)),
        id="empty",
    ),
    Case(
        "RaggedTensorToSparse",
        [[([0, 3, 2], I)], [1, 2]],
        {},
        raises(r"rt_nested_splits\[0\] must rise from 0 to 2", "run"),
        id="splits",
    ),
    Case(
        "RaggedTensorToTensor",
        [ANY, VALUES, 0.0, [SPLITS]],
        BY_SPLITS,
        [[1.0, 2, 0], [0, 0, 0], [3, 4, 5]],
    ),
    Case(
        "RaggedTensorToTensor",
        [([4, 2], I), VALUES, -1.0, [SPLITS]],
        BY_SPLITS,
        [[1.0, 2], [-1, -1], [3, 4], [-1, -1]],
        id="shape",
    ),
    Case(
        "RaggedTensorToTensor",
        [([-1, 4], I), VALUES, 0.0, [(3, I), ([0, 0, 2, 2, 2], I)]],
        BY_ROWS,
        [[1.0, 2, 0, 0], [0, 0, 0, 0], [3, 4, 5, 0]],
        id="rows",
    ),
    Case(
        "RaggedTensorToTensor",
        [ANY, [[1, 2], [3, 4], [5, 6]], [7, 8], [([0, 1, 3], I)]],
        BY_SPLITS,
        [[[1, 2], [7, 8]], [[3, 4], [5, 6]]],
        id="inner",
    ),
    Case(
        "RaggedTensorToTensor",
        [ANY, ["a", "b", "c", "d", "e"], "", [OUTER, SPLITS]],
        NESTED,
        [[["a", "b", ""], ["", "", ""]], [["c", "d", "e"], ["", "", ""]]],
        id="nested",
    ),
    Case(
        "RaggedTensorToTensor",
        [ANY, VALUES, 0.0, [(2, I), ([0, 0, 2, 2, 2], I)]],
        BY_ROWS,
        raises(r"must rise within \[0, 2\)", "run"),
        id="outside",
    ),
    Case(
        "RaggedTensorToTensor",
        [ANY, [1.0], 0.0, [SPLITS]],
        BY_SPLITS,
        raises("the rows hold 5 values, got 1", "run"),
        id="values",
    ),
    Case(
        "RaggedTensorToTensor",
        [ANY, VALUES, 0.0, [SPLITS]],
        {"row_partition_types": ["ROW_LENGTHS"]},
        raises("row_partition_types must be ROW_SPLITS or VALUE_ROWIDS"),
        id="kind",
    ),
]

test_ragged = check(
    dataclasses.replace(
        case,
        dynamic=case.op in ("RaggedTensorToTensor", "RaggedRange", "RaggedGather", "RaggedCross"),
    )
    for case in CASES
)


def test_shapes() -> None:
    infers("RaggedRange", "[n];[];[n]", "[n+1];[?]")
    infers("RaggedGather", "[m];[n,3];[k]", "[?];[?,3]", OUTPUT_RAGGED_RANK=1)
    refuses("RaggedGather", "[m];[n,3];[k,2]", "must be 2", OUTPUT_RAGGED_RANK=1)
    infers("RaggedTensorToSparse", "[m]+[k];[n]", "[n,3];[n];[3]")
    infers("RaggedTensorToTensor", ";[n,3];[];[m]", "[?,?,3]", values={"shape": -1}, **BY_SPLITS)
    infers(
        "RaggedTensorToTensor",
        ";[n];[];[m]",
        "[?,7]",
        values={"shape": [-1, 7]},
        **BY_SPLITS,
    )
