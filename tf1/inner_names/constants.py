"""Names of `tensorflow.python.framework.smart_cond` and `tensor_util`."""

from __future__ import annotations

from typing import Any

from ...graph.constant_value import constant_value
from ...graph.node import Tensor
from ...protos.tensor_util import make_ndarray

MakeNdarray = make_ndarray


def smart_constant_value(pred: Any) -> bool | None:
    """The value of a predicate, if it is known while the graph is built.

    Args:
        pred: a bool, 0 or 1, or a bool tensor.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(pred, Tensor):
        value = constant_value(pred)
        return None if value is None else bool(value)
    if isinstance(pred, bool) or (isinstance(pred, int) and pred in (0, 1)):
        return bool(pred)
    raise TypeError(
        f"`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead type: {type(pred)}"
    )
