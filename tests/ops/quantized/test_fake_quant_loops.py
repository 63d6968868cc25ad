"""Fake quantization by machine code gives what NumPy gives, bit for bit but for the sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from machine_loops import kernel_by

import tensordraft as td
from tensordraft.ops.quantized import fake_quant_loops
from tensordraft.shape_inference.context import KernelContext

X = np.linspace(-9, 9, 41 * 3, dtype=np.float32).reshape(41, 3)
X[3:7] = [-0.0, np.nan, np.inf], [0.0, -np.inf, 1e-45], [3e38, -3e38, 6.0], [0.5, 1.5, 2.5]
G = np.cos(np.arange(X.size, dtype=np.float32)).reshape(X.shape)
LOW, HIGH = np.array([[-6, -0.25, 0], [6, 7, 0.75]], np.float32)


@pytest.fixture(autouse=True)
def _many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fake_quant_loops, "FEWEST_IN_BLOCKS", 1)
    monkeypatch.setattr(fake_quant_loops, "_PART_ELEMENTS", 35)


def both_kernels(tensor: Any) -> tuple[Any, Any]:
    """The kernel of the op, and its form by a loop."""
    op = tensor[0].op if isinstance(tensor, tuple | list) else tensor.op
    kernel: Any = op.definition.kernel_factory(KernelContext(op, op.graph.inference, {}))
    return kernel, kernel_by(kernel.accelerated)


@pytest.mark.parametrize("bits", [2, 8, 16])
@pytest.mark.parametrize("narrow", [False, True])
def test_same_bits(bits: int, narrow: bool) -> None:
    more: dict[str, Any] = {"num_bits": bits, "narrow_range": narrow}
    with td.Graph().as_default(), np.errstate(all="ignore"):
        x = td.placeholder(td.float32, X.shape)
        channels: tuple[Any, ...] = td.placeholder(td.float32, 3), td.placeholder(td.float32, 3)
        ends: tuple[Any, ...] = td.placeholder(td.float32, ()), td.placeholder(td.float32, ())
        for tensor, arrays in (
            (td.fake_quant_with_min_max_args(x, -1.5, 4.0, **more), ()),
            (td.fake_quant_with_min_max_vars(x, *ends, **more), (LOW[1], HIGH[1])),
            (td.fake_quant_with_min_max_vars_per_channel(x, *channels, **more), (LOW, HIGH)),
        ):
            by_numpy, by_loop = both_kernels(tensor)
            given = [np.asarray(array) for array in (X, *arrays)]
            expected, found = by_numpy(*given), by_loop(*given)
            np.testing.assert_array_equal(found.view(np.int32), expected.view(np.int32))
            assert not np.array_equal(found, X)


def test_gradients() -> None:
    with td.Graph().as_default(), np.errstate(all="ignore"):
        x = td.placeholder(td.float32, X.shape)
        channels: tuple[Any, ...] = td.placeholder(td.float32, 3), td.placeholder(td.float32, 3)
        ends: tuple[Any, ...] = td.placeholder(td.float32, ()), td.placeholder(td.float32, ())
        of_vars = td.fake_quant_with_min_max_vars_gradient
        of_channels = td.fake_quant_with_min_max_vars_per_channel_gradient
        for tensor, arrays in (
            (of_vars(x, x, *ends), (LOW[1], HIGH[1])),
            (of_channels(x, x, *channels), (LOW, HIGH)),
        ):
            by_numpy, by_loop = both_kernels(tensor)
            for gradients in (G, np.where(G > 0.99, np.float32(np.inf), G)):
                given = [np.asarray(array) for array in (gradients, X, *arrays)]
                expected, found = by_numpy(*given), by_loop(*given)
                np.testing.assert_array_equal(found[0].view("i4"), expected[0].view("i4"))
                for sums, wanted in zip(found[1:], expected[1:], strict=True):
                    assert sums.dtype == np.float32
                    assert sums.shape == wanted.shape
                    np.testing.assert_allclose(sums, wanted, rtol=1e-6)


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 0.0), (1.0, -1.0), (np.nan, 1.0), (-np.inf, np.inf), (1e-40, 1.0)]
)
def test_odd_grids_are_left_to_numpy(low: float, high: float) -> None:
    with td.Graph().as_default(), np.errstate(all="ignore"):
        ends: tuple[Any, ...] = td.placeholder(td.float32, ()), td.placeholder(td.float32, ())
        tensor = td.fake_quant_with_min_max_vars(td.placeholder(td.float32, X.shape), *ends)
        by_numpy, by_loop = both_kernels(tensor)
        given = X, np.asarray(np.float32(low)), np.asarray(np.float32(high))
        np.testing.assert_array_equal(by_loop(*given), by_numpy(*given))
