"""Sums, slices and rows of sparse tensors, and the gradients that TensorFlow writes of them."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Case, raises
from harness import check

import tensordraft as td

A = [np.array([[0, 1], [2, 0]]), np.array([1, 2], "f"), np.array([3, 2])]
B = [np.array([[0, 0], [2, 0]]), np.array([5, -2], "f"), np.array([3, 2])]
NONE = [np.zeros((0, 2), "i8"), np.zeros(0, "f"), np.array([3, 2])]
BOTH = np.array([[0, 0], [0, 1], [2, 0]])
UNORDERED, LAST = np.array([[1, 0], [0, 1]]), np.array([[1, 1], [0, 1]])
SQUARE = np.array([2, 2])
ZERO = np.float32(0)
CASES = [
    Case("SparseAdd", [*A, *B, ZERO],
         expected=(BOTH, np.array([5, 1, 0], "f"), np.array([3, 2])), dynamic=True),
    Case("SparseAdd", [*A, *B, np.float32(0.5)],
         expected=(BOTH[:2], np.array([5, 1], "f"), np.array([3, 2])), id="small", dynamic=True),
    Case("SparseAdd", [*A, *NONE, np.float32(9)], expected=tuple(A), id="alone", dynamic=True),
    Case("SparseAdd", [UNORDERED, np.array([1, 2], "f"), SQUARE, LAST, np.array([3, 4], "f"),
                       SQUARE, ZERO], dynamic=True, id="unordered",
         expected=(np.concatenate([UNORDERED, LAST]), np.array([1, 2, 3, 4], "f"), SQUARE)),
    Case("SparseAdd", [np.array([[1, 0], [0, 1], [0, 0]]), np.array([1, 2, 5], "f"), SQUARE,
                       UNORDERED[::-1], np.array([3, 4], "f"), SQUARE, ZERO],
         dynamic=True, id="unordered that meet",
         expected=(np.array([[0, 1], [1, 0], [0, 1], [0, 0]]), np.array([3, 5, 2, 5], "f"),
                   SQUARE)),
    Case("SparseAdd", [*A, *B[:2], np.array([3, 3]), ZERO],
         expected=raises(r"a_shape and b_shape must be equal", "run"), id="shapes"),
    Case("SparseAdd", [*A, B[0] + 1, *B[1:], ZERO],
         expected=raises(r"b_indices\[1\] = \[3, 1\] is not inside", "run"), id="outside"),
    Case("SparseAddGrad", [np.array([1, 10, 100], "f"), A[0], B[0], BOTH],
         expected=(np.array([10, 100], "f"), np.array([1, 100], "f"))),
    Case("SparseAddGrad", [np.array([1, 10], "f"), A[0], B[0], BOTH[:2]],
         expected=(np.array([10, 0], "f"), np.array([1, 0], "f")), id="gone"),
    Case("SparseAddGrad", [np.array([1, 10], "f"), A[0], B[0], BOTH],
         expected=raises("backprop_val_grad must have shape", "run"), id="length"),
    Case("SparseTensorDenseAdd", [*A, np.ones((3, 2), "f")],
         expected=np.array([[1, 2], [1, 1], [3, 1]], "f")),
    Case("SparseTensorDenseAdd", [A[0][:1].repeat(2, 0), *A[1:], np.ones((3, 2), "f")],
         expected=np.array([[1, 4], [1, 1], [1, 1]], "f"), id="twice"),
    Case("SparseTensorDenseAdd", [*A, np.ones((2, 2), "f")],
         expected=raises("b must have the shape", "run")),
    Case("SparseSlice", [*A, np.array([1, 0]), np.array([9, 1])], dynamic=True,
         expected=(np.array([[1, 0]]), np.array([2], "f"), np.array([2, 1]))),
    Case("SparseSlice", [*A, np.array([5, 0]), np.array([1, 1])], dynamic=True, id="beyond",
         expected=(np.zeros((0, 2), "i8"), np.zeros(0, "f"), np.array([0, 1]))),
    Case("SparseSlice", [*A, np.array([-1, 0]), np.array([1, 1])],
         expected=raises("start must not be negative", "run")),
    Case("SparseSliceGrad", [np.array([7], "f"), A[0], np.array([1, 0]), np.array([[1, 0]])],
         expected=np.array([0, 7], "f")),
    Case("SparseSliceGrad", [np.array([7, 8], "f"), A[0], np.array([1, 0]), np.array([[1, 0]])],
         expected=raises("backprop_val_grad must have shape", "run")),
    Case("SparseFillEmptyRows", [*A, np.float32(9)], dynamic=True, expected=(
        np.array([[0, 1], [1, 0], [2, 0]]), np.array([1, 9, 2], "f"),
        np.array([False, True, False]), np.array([0, 2]))),
    Case("SparseFillEmptyRows", [A[0][::-1], *A[1:], np.float32(9)], dynamic=True, id="order",
         expected=(np.array([[0, 1], [1, 0], [2, 0]]), np.array([2, 9, 1], "f"),
                   np.array([False, True, False]), np.array([2, 0]))),
    Case("SparseFillEmptyRows", [np.zeros((0, 1), "i8"), np.zeros(0, "f"), np.array([0]), ZERO],
         dynamic=True, id="empty", expected=(np.zeros((0, 1), "i8"), np.zeros(0, "f"),
                                             np.zeros(0, "?"), np.zeros(0, "i8"))),
    Case("SparseFillEmptyRows", [A[0] + 1, *A[1:], ZERO],
         expected=raises(r"indices\[0\] = \[1, 2\] is not inside", "run"), id="outside"),
    Case("SparseFillEmptyRowsGrad", [np.array([2, 0]), np.array([1, 10, 100], "f")],
         expected=(np.array([100, 1], "f"), np.float32(10))),
    Case("SparseFillEmptyRowsGrad", [np.array([3, 0]), np.array([1, 10, 100], "f")],
         expected=raises(r"reverse_index_map\[0\] = 3 is not in \[0, 3\)", "run")),
]  # fmt: skip
test_sparse_parts = check(CASES)


def test_shapes_of_any_size_can_be_compared() -> None:
    large = [2**40, 2**40]
    with td.Graph().as_default(), td.Session() as session:
        a = td.SparseTensor([[1, 2], [2**39, 5]], [1.0, 2.0], large)
        b = td.SparseTensor([[2**39, 5]], [3.0], large)
        assert session.run(td.sparse_add(a, b)).values.tolist() == [1.0, 5.0]


def test_gradients_reach_what_was_added_cut_and_filled() -> None:
    with td.Graph().as_default(), td.Session() as session:
        values, default = td.constant([1.0, 2.0]), td.constant(7.0)
        x = td.SparseTensor(A[0], values, A[2])
        added = td.sparse_add(x, td.SparseTensor(B[0], values, B[2]))
        cut = td.sparse_slice(added, [0, 0], [3, 1])
        filled, empty = td.sparse_fill_empty_rows(cut, default)
        y = filled.values * [1.0, 10.0, 100.0]
        slopes = session.run(td.gradients(y, [values, default]))
        assert session.run(empty).tolist() == [False, True, False]
        np.testing.assert_array_equal(slopes[0], [1, 200])
        assert slopes[1] == 10


def test_a_dense_summand_makes_the_sum_dense() -> None:
    with td.Graph().as_default(), td.Session() as session:
        values, dense = td.constant([1.0, 2.0]), td.constant(np.ones((3, 2), "f"))
        x = td.SparseTensor(A[0], values, A[2])
        for total in (td.sparse_add(x, dense), td.sparse_add(dense, x)):
            slopes = session.run(td.gradients(total * total, [values, dense]))
            np.testing.assert_array_equal(slopes[0], [4, 6])
            np.testing.assert_array_equal(slopes[1], [[2, 4], [2, 2], [6, 2]])
        with pytest.raises(TypeError, match="a or b must be a SparseTensor"):
            td.sparse_add(dense, dense)
