"""The gradients of sums and means of chosen rows."""

from __future__ import annotations

from cases import Case, raises
from harness import check
from shape_language import infers

ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
INDICES, IDS = [3, 0, 3, 1], [0, 0, 0, 2]

CASES = [
    Case("SparseSegmentSumGrad", [ROWS, INDICES, IDS, 4],
         expected=[[1.0, 2.0], [5.0, 6.0], [0.0, 0.0], [2.0, 4.0]]),
    Case("SparseSegmentMeanGrad", [[[3.0], [1.0], [5.0]], INDICES, IDS, 4],
         expected=[[1.0], [5.0], [0.0], [2.0]]),
    Case("SparseSegmentSqrtNGrad", [[[4.0], [1.0]], [1, 1, 0, 2], [0, 0, 0, 0], 3],
         expected=[[2.0], [4.0], [2.0]]),
    Case("SparseSegmentSumGrad", [([[1.0]], "float16"), [0, 0], [0, 0], 1],
         expected=([[2.0]], "float16"), id="half"),
    Case("SparseSegmentSumGrad", [ROWS, [4], [0], 4],
         expected=raises(r"indices\[0\] = 4 is not in \[0, 4\)", "run")),
    Case("SparseSegmentMeanGrad", [ROWS, [0], [3], 4],
         expected=raises(r"segment_ids\[0\] = 3 is not in \[0, 3\)", "run")),
    Case("SparseSegmentSumGradV2", [ROWS, INDICES, IDS, 4], dynamic=True,
         expected=([[1.0, 2.0], [5.0, 6.0], [2.0, 4.0]], [0, 1, 3])),
    Case("SparseSegmentMeanGradV2", [[[3.0], [1.0], [5.0]], INDICES, IDS, 4], dynamic=True,
         expected=([[1.0], [5.0], [2.0]], [0, 1, 3])),
    Case("SparseSegmentSqrtNGradV2", [[[4.0], [1.0]], [1, 1, 2], [0, 0, 1], 9], dynamic=True,
         expected=([[5.656854249492381], [1.0]], [1, 2]), rtol=1e-6),
    Case("SparseSegmentSumGradV2", [ROWS, [4], [0], 4],
         expected=raises(r"indices\[0\] = 4 is not in \[0, 4\)", "run")),
]  # fmt: skip

test_gradients = check(CASES)


def test_shapes() -> None:
    infers("SparseSegmentSumGrad", "[?,3];[n];[n];[]", "[?,3]", dtypes={"output_dim0": "int32"})
