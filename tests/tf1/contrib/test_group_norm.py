"""Normalization over groups of channels, beside the formula of its authors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")
X = np.random.default_rng(4).normal(3.0, 2.0, [2, 3, 4, 6])


def expected(x: Any, groups: int, epsilon: float = 1e-6) -> Any:
    """Group norm of images whose channels come last."""
    grouped = x.reshape(*x.shape[:3], groups, -1)
    axes = (1, 2, 4)
    mean, variance = grouped.mean(axes, keepdims=True), grouped.var(axes, keepdims=True)
    return ((grouped - mean) / np.sqrt(variance + epsilon)).reshape(x.shape)


def run(y: Any, feeds: Any = None) -> Any:
    with td.Session() as session:
        session.run(td.global_variables_initializer())
        return session.run(y, feeds)


@pytest.mark.parametrize("groups", [1, 2, 3, 6])
@pytest.mark.parametrize("mean_close_to_zero", [False, True])
def test_groups_have_mean_zero_and_variance_one(groups: int, mean_close_to_zero: bool) -> None:
    y = td.contrib.layers.group_norm(X, groups, mean_close_to_zero=mean_close_to_zero)
    assert y.shape.as_list() == [2, 3, 4, 6]
    np.testing.assert_allclose(run(y), expected(X, groups), rtol=1e-9, atol=1e-9)


def test_channels_may_come_first_and_sizes_be_unknown() -> None:
    x = td.placeholder(td.float64, [None, 6, None, None])
    y = td.contrib.layers.group_norm(
        x,
        2,
        channels_axis=-3,
        reduction_axes=(-2, -1),
        param_initializers={"gamma": td.constant_initializer(2.0)},
        activation_fn=td.nn.relu,
    )
    assert y.shape.as_list() == [None, 6, None, None]
    found = run(y, {x: X.transpose(0, 3, 1, 2)})
    wanted = np.maximum(2 * expected(X, 2), 0).transpose(0, 3, 1, 2)
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)
    assert [v.op.name for v in td.trainable_variables()] == ["GroupNorm/beta", "GroupNorm/gamma"]
    td.contrib.layers.group_norm(X, 2, center=False, scale=False)
    assert len(td.trainable_variables()) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"groups": 4}, "6 channels do not make 4 groups"),
        ({"groups": 7}, "6 channels do not make 7 groups"),
        ({"groups": 2, "channels_axis": 4}, r"channels_axis must be in \[-4, 4\), got 4"),
        ({"groups": 2, "reduction_axes": (-1,)}, "must not have channels_axis"),
        ({"groups": 2, "reduction_axes": (-5,)}, r"reduction_axes must be in \[-4, 4\), got -5"),
    ],
)
def test_what_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        td.contrib.layers.group_norm(X, **arguments)
