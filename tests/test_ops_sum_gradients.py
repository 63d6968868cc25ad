"""What TensorFlow's gradients of segment means and of gamma functions are made of."""

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
    # TensorFlow's numbers.
    Case("IgammaGradA", [([0.5, 1.0, 3.0, 30.0], "float64"), ([2.0, 0.01, 8.0, 29.0], "float64")],
         expected=([-0.13561933520399783, -0.05005387258715678, -0.017791335986496452,
                    -0.07302883978315498], "float64"), rtol=1e-13),
    Case("IgammaGradA", [[-1.0, 1.0], [1.0, 0.0]], expected=[float("nan"), 0.0], id="edges"),
    Case("RandomGammaGrad", [([0.5, 1.0, 3.0], "float64"), ([2.0, 0.5, 8.0], "float64")],
         expected=([2.5118893763620784, 0.806979116825318, 1.6573507846590498], "float64"),
         rtol=1e-13),
]  # fmt: skip

test_gradients_of_sums = check(CASES)


def test_shapes() -> None:
    infers("SparseSegmentSumGrad", "[?,3];[n];[n];[]", "[?,3]", dtypes={"output_dim0": "int32"})
    infers("IgammaGradA", "[2,1];[3]", "[2,3]")
