"""Products that sum long columns, in pieces."""

from __future__ import annotations

import numpy as np
import pytest

from tensordraft.ops.common import gemm

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("rows", [1 << 14, (1 << 16) + 777, (1 << 17) + 5])
@pytest.mark.parametrize("columns", [1, 7])
@pytest.mark.parametrize("dtype", ["f", "d"])
def test_pieces_add_up_to_the_product(rows: int, columns: int, dtype: str) -> None:
    x, y = RNG.random((rows, 9)).astype(dtype), RNG.random((rows, columns)).astype(dtype)
    result = gemm.multiply(x.T, y)
    assert result.dtype == dtype
    wanted = x.T.astype("d") @ y.astype("d")
    np.testing.assert_allclose(result, wanted, 2e-6 if dtype == "f" else 1e-12)


def test_sums_lose_less_than_those_of_blas() -> None:
    x, y = RNG.random((1 << 19, 20), "f"), RNG.random((1 << 19, 1), "f")
    wanted = x.T.astype("d") @ y.astype("d")
    np.testing.assert_allclose(gemm.multiply(x.T, y), wanted, 5e-6)


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_what_is_no_number_stays_in_its_row(odd: float) -> None:
    x, y = np.ones((1 << 16, 9), "f"), np.ones((1 << 16, 1), "f")
    x[12_345, 4] = odd
    result = gemm.multiply(x.T, y)[:, 0]
    assert not np.isfinite(result[4])
    assert (np.delete(result, 4) == 1 << 16).all()
