"""In-place ops: who sees an update, and who must not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import Case, raises
from harness import check
from shape_language import infers, refuses

import tensordraft as td
from tensordraft.ops.array.stack import parallel_stack, stack
from tensordraft.ops.indexing.empty import empty, empty_like
from tensordraft.ops.indexing.inplace_updates import (
    INPLACE_ADD,
    INPLACE_UPDATE,
    alias_inplace_add,
    alias_inplace_subtract,
    alias_inplace_update,
)

X = [[1, 2], [3, 4], [5, 6]]
TWICE = [[10, 20], [30, 40]]


def _is_empty(result: Any) -> bool:
    return bool(result.shape == (2, 3))


EMPTY = [
    Case("Empty", [[2, 3]], {"dtype": "float32"}, _is_empty, id="float"),
    Case("Empty", [[2]], {"dtype": "string"}, [b"", b""], id="strings"),
    Case("Empty", [[2]], {"dtype": "bool"}, [False, False], id="bools"),
    *(
        Case("Empty", [[2, 1]], {"dtype": dtype, "init": True}, ([[0], [0]], dtype), id=dtype)
        for dtype in ("float32", "int8", "uint16", "complex64", "bfloat16", "qint32")
    ),
    Case("Empty", [np.zeros(0, np.int32)], {"dtype": "int32", "init": True}, 0, id="shape []"),
    Case("Empty", [[0, 4]], {"dtype": "int32"}, np.zeros((0, 4), np.int32), id="no rows"),
    Case("Empty", [[-1]], {"dtype": "int32"}, raises("at least 0, got \\[-1\\]", at="run")),
    Case("Empty", [[-7]], {"dtype": "int32"}, raises("-7"), id="negative"),
    Case("Empty", [3], {"dtype": "int32"}, raises("shape must"), id="scalar"),
]


def _rows(op: str, i: Any, v: Any, wanted: Any, name: str, x: Any = X) -> Case:
    return Case(op, [x, np.array(i, np.int32), v], {}, wanted, id=name)


def _refused(op: str, i: Any, v: Any, clause: str, name: str, x: Any = X) -> Case:
    return _rows(op, i, v, raises(clause, at="run"), name, x)


ROWS = [
    _rows("InplaceUpdate", [1], [[9, 9]], [[1, 2], [9, 9], [5, 6]], "row"),
    _rows("InplaceUpdate", [-1, 3], TWICE, [[30, 40], [3, 4], [10, 20]], "modulo the rows"),
    _rows("InplaceUpdate", [0, 0], TWICE, [[30, 40], [3, 4], [5, 6]], "the last one stays"),
    _rows("InplaceUpdate", [], np.zeros((0, 2), np.int32), X, "no rows"),
    _rows("InplaceUpdate", [1], [b"new"], [b"a", b"new"], "strings", [b"a", b"b"]),
    _rows("InplaceUpdate", [1], [True], [False, True], "bools", [False, False]),
    _rows(
        "InplaceUpdate",
        [4],
        np.ones((1, 2), "f"),
        np.ones((0, 2), "f"),
        "empty",
        np.ones((0, 2), "f"),
    ),
    _rows("InplaceAdd", [2], [[1, 1]], [[1, 2], [3, 4], [6, 7]], "row"),
    _rows("InplaceAdd", [0, 0], TWICE, [[41, 62], [3, 4], [5, 6]], "updates add up"),
    _rows("InplaceAdd", [1, -3, 3], [1.0, 2.0, 4.0], [7.5, 1.5, 0.5], "vector", [1.5, 0.5, 0.5]),
    _rows("InplaceAdd", [0], [True], raises("InplaceAdd needs numbers", at="run"), "bool", [True]),
    _rows("InplaceSub", [0, 2], TWICE, [[-9, -18], [3, 4], [-25, -34]], "rows"),
    _rows("InplaceSub", [1, 1], TWICE, [[1, 2], [-37, -56], [5, 6]], "updates add up"),
    _rows("InplaceSubtract", [1, 1], TWICE, [[1, 2], [-37, -56], [5, 6]], "updates add up"),
    _refused("InplaceUpdate", 1, [[9, 9]], "must be a vector, got shape \\[\\]", "scalar index"),
    _refused("InplaceUpdate", [1], [9, 9], "1 rows of shape \\[2\\]", "rank"),
    _refused("InplaceAdd", [1], [[9, 9, 9]], "got shape \\[1, 3\\]", "row size"),
    _refused("InplaceAdd", [1, 2], [[9, 9]], "an update of 2 rows", "number of rows"),
    _refused("InplaceSub", [0], 1, "a tensor of shape \\[\\]", "scalar", 1),
]


def _alias(op: str, loc: Any, update: Any, wanted: Any, name: str, **attrs: Any) -> Case:
    return Case(f"AliasInplace{op}", [X, loc, update], attrs, wanted, id=name)


NOWHERE: Any = (np.zeros(0, np.int32), "int32")
ALIAS = [
    _alias("Update", 1, [9, 9], [[1, 2], [9, 9], [5, 6]], "row"),
    _alias("Update", [0, 0], TWICE, [[30, 40], [3, 4], [5, 6]], "rows"),
    _alias(
        "Update", NOWHERE, np.arange(6, dtype=np.int32), [[0, 1], [2, 3], [4, 5]], "all", whole=True
    ),
    _alias("Add", (-1, "int64"), [1, 1], [[1, 2], [3, 4], [6, 7]], "row"),
    _alias("Add", [1, 1], TWICE, [[1, 2], [43, 64], [5, 6]], "rows"),
    _alias("Add", NOWHERE, X, [[2, 4], [6, 8], [10, 12]], "all", whole=True),
    _alias("Subtract", 0, [1, 1], [[0, 1], [3, 4], [5, 6]], "row"),
    _alias("Subtract", [1, 1], TWICE, [[1, 2], [-37, -56], [5, 6]], "rows"),
    _alias("Subtract", NOWHERE, X, [[0, 0], [0, 0], [0, 0]], "all", whole=True),
    Case("AliasInplaceAdd", [1.5, NOWHERE, 2.0], {"whole": True}, 3.5, id="scalar"),
    _alias("Update", 1, [[9, 9]], raises("got shape \\[1, 1, 2\\]", at="run"), "rank"),
    _alias("Update", NOWHERE, [1], raises("as value, 6, got 1", at="run"), "size", whole=True),
]

test_empty = check(EMPTY)
test_rows = check(ROWS)
test_alias = check(ALIAS)


def test_shapes() -> None:
    infers("Empty", "", "[2,?]", values={"shape": [2, -1]}, dtype=td.int32)
    infers("Empty", "[2]", "[?,?]", dtype=td.int32)
    refuses("Empty", "[1,2]", "shape must have rank 1", dtype=td.int32)
    infers("InplaceUpdate", "[n,?];?;?", "[n,?]")
    infers("AliasInplaceAdd", "?;[2];[2,3]", "?")


def run(fetches: Any, feeds: Any = None) -> Any:
    with td.Session() as session:
        return session.run(fetches, feeds)


def test_who_reads_after_the_update_sees_it() -> None:
    with td.Graph().as_default() as graph:
        x = empty([3], td.int32, init=True)
        update = alias_inplace_update(x, 1, 5)
        with graph.control_dependencies([update]):
            later = td.identity(x)
        np.testing.assert_array_equal(run(later), [0, 5, 0])
        for result in run([update, later]):
            np.testing.assert_array_equal(result, [0, 5, 0])


def test_who_read_before_the_update_does_not_see_it() -> None:
    with td.Graph().as_default() as graph:
        x = empty([2], td.int32, init=True)
        before = td.identity(x)  # a view
        with graph.control_dependencies([before]):
            update = alias_inplace_add(x, None, [1, 2])
        for _ in range(5):
            old, new = run([before, update])
            np.testing.assert_array_equal(old, [0, 0])
            np.testing.assert_array_equal(new, [1, 2])


def test_feeds_and_constants_stay() -> None:
    fed = np.array([1, 2, 3], np.int32)
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.int32, [3])
        constant = td.constant([1, 2, 3])
        updates = [alias_inplace_subtract(item, [0, 2], [10, 10]) for item in (x, constant)]
        for _ in range(5):
            for result in session.run(updates, {x: fed}):
                np.testing.assert_array_equal(result, [-9, 2, -7])
            np.testing.assert_array_equal(fed, [1, 2, 3])


def test_chains_of_updates() -> None:
    with td.Graph().as_default() as graph:
        x = empty_like([[0.0] * 2] * 2, init=True)
        y = alias_inplace_update(x, 0, [1.0, 2.0])
        y = alias_inplace_update(y, 1, [3.0, 4.0])
        y = INPLACE_ADD(y, [0, 0], [[10.0, 10.0], [20.0, 20.0]])
        y = INPLACE_UPDATE(y, [-1], [[7.0, 8.0]])
        with graph.control_dependencies([y]):
            seen = td.identity(x)
        np.testing.assert_array_equal(run(seen), [[31, 32], [7, 8]])
        for result in run([y, seen]):
            np.testing.assert_array_equal(result, [[31, 32], [7, 8]])


def test_updates_of_one_tensor_in_order() -> None:
    """Two updates of `x` itself, not of each other's results."""
    with td.Graph().as_default() as graph:
        x = empty([2], td.int32, init=True)
        first = alias_inplace_add(x, 0, 1)
        with graph.control_dependencies([first]):
            second = alias_inplace_add(x, 1, 2)
        with graph.control_dependencies([second]):
            seen = td.identity(x)
        np.testing.assert_array_equal(run(seen), [1, 2])


def _reader_beside() -> list[td.Tensor]:
    x = empty([2], td.int32, init=True)
    return [alias_inplace_add(x, 0, 1), td.identity(x)]


def _two_writers() -> list[td.Tensor]:
    x = empty([2], td.int32, init=True)
    return [alias_inplace_add(x, 0, 1), alias_inplace_update(x, 1, 2)]


def _updated_twice() -> list[td.Tensor]:
    x = empty([2], td.int32, init=True)
    first = alias_inplace_add(x, 0, 1)
    return [alias_inplace_add(first, 0, 1), td.identity(first)]


def _fetched_beside() -> list[td.Tensor]:
    x = empty([2], td.int32, init=True)
    return [alias_inplace_add(x, 0, 1), x]


@pytest.mark.parametrize("build", [_reader_beside, _two_writers, _updated_twice, _fetched_beside])
def test_a_race_is_told_when_the_plan_is_made(build: Any) -> None:
    with td.Graph().as_default():
        both = build()
        with pytest.raises(td.errors.InvalidArgumentError, match="which comes first"):
            run(both)
        for fetch in both[1:]:
            run(fetch)  # a single update has nothing to race with, or everything is in order


def test_rows_in_parallel_are_a_stack() -> None:
    rows = [[1, 2], [3, 4], [5, 6]]
    with td.Graph().as_default():
        filled = empty([3, 2], td.int32)
        for i, row in enumerate(rows):
            filled = alias_inplace_update(filled, i, row)
        in_place, stacked, parallel = run([filled, stack(rows), parallel_stack(rows)])
    np.testing.assert_array_equal(in_place, stacked)
    np.testing.assert_array_equal(parallel, stacked)


def test_the_wrong_dtype_is_refused() -> None:
    with td.Graph().as_default():
        with pytest.raises(TypeError):
            alias_inplace_update(td.constant([1, 2]), 0, td.constant(1.5))
        with pytest.raises(TypeError):
            alias_inplace_update([1, 2], 0.5, 1)
