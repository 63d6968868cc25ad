"""Zeros around an image become margins of the convolutions that read it, with the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness import RUNS_OF_BOTH_TIERS

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")
RNG = np.random.default_rng(3)
X = RNG.standard_normal((2, 7, 6, 3)).astype("f")
F = RNG.standard_normal((3, 3, 3, 4)).astype("f")
D = RNG.standard_normal((3, 2, 3, 1)).astype("f")
PADDINGS = [[0, 0], [1, 2], [0, 3], [0, 0]]


def image() -> td.Tensor:
    return td.placeholder(td.float32, [None, 7, 6, 3], name="image")


def folded(fetches: Any, feed: td.Tensor, value: np.ndarray = X) -> bool:
    """Returns whether no op Pad runs for `fetches`; checks the results against an exact run."""
    with td.Session() as session, td.Session(optimize="exact") as exact:
        wanted = exact.run(fetches, {feed: value})
        for _ in range(RUNS_OF_BOTH_TIERS):
            for one, other in zip(session.run(fetches, {feed: value}), wanted, strict=True):
                np.testing.assert_array_equal(one, other)
        assert "(Pad" in exact.explain(fetches, [feed])
        return "within pad" in session.explain(fetches, [feed])


def test_convolutions_of_all_kinds_take_margins() -> None:
    x = image()
    padded = td.pad(x, PADDINGS, name="pad")
    plain = td.nn.conv2d(padded, F, 2, "VALID")
    margins = td.nn.conv2d(padded, F, 1, [[0, 0], [2, 0], [1, 1], [0, 0]], dilations=2)
    depthwise = td.nn.depthwise_conv2d(padded, D, [1, 2, 2, 1], "VALID")
    single = td.nn.conv2d(padded, F[:1, :1], 3, "VALID")
    assert folded([plain, margins, depthwise, td.nn.relu(single * 2.0)], x)


def test_channels_first_and_volumes() -> None:
    x = td.placeholder(td.float32, [2, 3, None, 6], name="image")
    padded = td.pad(x, [[0, 0], [0, 0], [1, 1], [2, 0]], name="pad")
    assert folded(
        [td.nn.conv2d(padded, F, 1, "VALID", data_format="NCHW")], x, X.swapaxes(1, 3)[:, :, :, :6]
    )
    volume = td.placeholder(td.float32, [1, 2, 7, 6, 3])
    padded = td.pad(volume, [[0, 0], [1, 1], *PADDINGS[1:]], name="pad_of_volumes")
    assert folded([td.nn.conv3d(padded, F[None], 1, "VALID")], volume, X[None])


def test_what_is_no_number_in_filters_reaches_from_the_margins() -> None:
    x = image()
    odd = F.copy()
    odd[0, 0, 0] = np.nan
    assert folded([td.nn.conv2d(td.pad(x, PADDINGS, name="pad"), odd, 1, "VALID")], x)


def test_images_smaller_than_the_window() -> None:
    x = td.placeholder(td.float32, [None, None, None, 3])
    y = td.nn.conv2d(td.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], name="pad"), F, 1, "VALID")
    for shape in ((2, 1, 1, 3), (0, 2, 2, 3)):
        assert folded([y], x, np.ones(shape, "f"))


@pytest.mark.parametrize("paddings", [[[1, 0], [0, 0], [0, 0], [0, 0]], [[0, 0]] * 3 + [[0, 1]]])
def test_other_dimensions_are_padded(paddings: list[list[int]]) -> None:
    x = image()
    padded = td.pad(x, paddings, name="pad")
    filters = RNG.standard_normal((3, 3, int(padded.shape[3]), 2)).astype("f")
    assert not folded([td.nn.conv2d(padded, filters, 1, "VALID")], x)


def test_what_somebody_else_reads_stays() -> None:
    x = image()
    padded = td.pad(x, PADDINGS, name="pad")
    y = td.nn.conv2d(padded, F, 1, "VALID")
    assert folded([y], x)
    assert not folded([y, padded], x)
    assert not folded([y, td.nn.max_pool(padded, 3, 1, "VALID")], x)


def test_other_values_and_positions_that_depend_on_the_size_stay() -> None:
    x = image()
    ones = td.pad(x, PADDINGS, constant_values=1.0, name="pad")
    mirrored = td.pad(x, PADDINGS, "SYMMETRIC", name="pad_mirrored")
    same = td.nn.conv2d(td.pad(x, PADDINGS, name="pad_same"), F, 2, "SAME")
    fetches = [td.nn.conv2d(ones, F, 1, "VALID"), td.nn.conv2d(mirrored, F, 1, "VALID"), same]
    assert not folded(fetches, x)


def test_an_image_that_is_updated_meanwhile_was_padded_before() -> None:
    variable = td.get_variable("image", initializer=X)
    padded = td.pad(variable, PADDINGS)
    with td.control_dependencies([padded]):
        update = td.assign_add(variable, td.ones_like(variable))
    with td.control_dependencies([update]):
        y = td.nn.conv2d(padded, td.identity(F), 1, "VALID")
    found = []
    for options in ({}, {"optimize": "exact"}):
        with td.Session(**options) as session:  # type: ignore[arg-type]
            session.run(td.global_variables_initializer())
            found.append([session.run(y) for _ in range(RUNS_OF_BOTH_TIERS)])
    np.testing.assert_array_equal(found[0], found[1])
