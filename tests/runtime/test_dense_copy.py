"""Copies in C order: of views of any kind, as NumPy makes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensordraft.runtime.dense_copy import dense_copy

VIEWS: dict[str, Callable[[Any], Any]] = {
    "transposed": lambda x: x.T,
    "turned": lambda x: x[::-1, ::-1].T,
    "of a stack": lambda x: x.reshape(4, -1, 150).transpose(0, 2, 1),
    "with long steps": lambda x: x[::3, ::2].T,
    "in order": lambda x: x,
    "with a few columns": lambda x: x[:7].T,
    "of no rows": lambda x: x[:0].T,
    "a vector": lambda x: x[:, 3],
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "u1", "c16", "O"])
def test_copies_are_those_of_numpy(name: str, dtype: str) -> None:
    x = VIEWS[name](np.arange(400 * 300).reshape(400, 300).astype(dtype))
    copy = dense_copy(x)
    np.testing.assert_array_equal(copy, x)
    assert copy.dtype == x.dtype
    assert copy.flags.c_contiguous
    assert copy.flags.writeable
    assert not np.shares_memory(copy, x)
