"""`td.nn.dropout`."""

from __future__ import annotations

from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.constant_value import constant_value
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..array.broadcast import broadcast_to
from ..array.constants import zeros_like
from ..array.shapes import shape
from ..math.comparison import greater_equal
from ..math.where import where
from ..random.uniform_and_normal import random_uniform

public = {"td.nn": "dropout"}


def dropout(
    x: TensorLike,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Tensor:
    """Sets random elements to 0, and scales the others up so that the mean is expected to stay.

    Args:
        x: a tensor of floats.
        keep_prob: probability of keeping an element, in (0, 1].
        noise_shape: the shape of what is drawn, which is broadcast to `x`; by default that of `x`.
        seed: makes the draws the same in every session: see `td.set_random_seed`.
        name: a name for the scope of the ops.
        rate: probability of setting an element to 0, instead of `keep_prob`.

    Returns:
        A Tensor of the shape and dtype of `x`; with `keep_prob` known to be 1, `x` itself.

    Raises:
        ValueError: a probability is out of range, or both or none are given.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     kept = session.run(td.nn.dropout(td.ones([1000]), 0.5))
        ...     sorted(set(kept.tolist()))
        [0.0, 2.0]
    """
    if (keep_prob is None) == (rate is None):
        raise ValueError(f"one of keep_prob and rate is needed, got {keep_prob} and {rate}")
    with name_scope(name, "dropout", [x]):
        tensor = convert_to_tensor(x, name="x")
        dtype = tensor.dtype.base_dtype
        if not dtype.is_floating:
            raise ValueError(f"x must be of a floating dtype, got {dtype.name}")
        if rate is None:
            keep = convert_to_tensor(keep_prob, dtype, name="keep_prob")
        else:
            keep = 1 - convert_to_tensor(rate, dtype, name="rate")
        value = constant_value(keep)
        if value is not None and value.ndim == 0:
            if not 0 < value <= 1:
                raise ValueError(f"keep_prob must be more than 0, and at most 1, got {value}")
            if value == 1:
                return tensor
        drawn = random_uniform(
            shape(tensor) if noise_shape is None else noise_shape, dtype=dtype, seed=seed
        )
        stays = greater_equal(drawn, 1 - keep)
        if noise_shape is not None:
            stays = broadcast_to(stays, shape(tensor))
        return where(stays, tensor / keep, zeros_like(tensor))
