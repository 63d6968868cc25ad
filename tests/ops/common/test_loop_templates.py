"""Sources of loops from templates: constants, unrolled loops, registers."""

from __future__ import annotations

from typing import Any

import pytest

from tensordraft.ops.common.loop_templates import load, loop_source, registers, store, unrolled


def copy(x: Any, out: Any, count: Any, *, lanes: int) -> None:
    """Template of a loop, with an index that is not constant."""
    v = registers()
    for k in range(count):
        v[k] = load(x, k * lanes)
        store(out, k, v[k])


def shift(x: Any, out: Any, count: Any, *, lanes: int, widths: tuple[int, ...]) -> None:
    """Template of a loop."""
    v = registers()
    for vectors in unrolled(widths):
        last = vectors - 1  # not a constant
        while count > vectors:
            for u in unrolled(vectors):
                v[vectors][u] = load(x, count + u * lanes)
        store(out, x[count] if vectors == 2 else last, v[vectors][0])


def test_templates_are_unrolled() -> None:
    assert loop_source(shift, lanes=4, widths=(1, 2)).splitlines() == [
        "def shift(x, out, count):",
        "    last = 1 - 1",
        "    while count > 1:",
        "        v1_0 = load(x, count + 0 * 4)",
        "    store(out, x[count] if 1 == 2 else last, v1_0)",
        "    last = 2 - 1",
        "    while count > 2:",
        "        v2_0 = load(x, count + 0 * 4)",
        "        v2_1 = load(x, count + 1 * 4)",
        "    store(out, x[count] if 2 == 2 else last, v2_0)",
    ]


def test_an_index_of_registers_must_be_constant() -> None:
    with pytest.raises(ValueError, match=r"v needs a constant, got k"):
        loop_source(copy, lanes=4)


def test_loops_are_unrolled_a_constant_number_of_times() -> None:
    with pytest.raises(ValueError, match="unrolled needs a constant, got widths"):
        loop_source(shift, lanes=4)


def test_words_of_loops_are_not_called() -> None:
    with pytest.raises(TypeError, match="not called by Python"):
        load([1.0], 0)
