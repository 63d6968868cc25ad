"""Python functions that are called with what has `numpy()`: `td.py_function`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...protos.constant_array import constant_array
from ...protos.dtypes import as_dtype
from .callbacks import py_func

public = {"td": "py_function"}


class ValueArray(np.ndarray):
    """An array that also answers as TensorFlow's eager tensors do."""

    def numpy(self) -> Any:
        """The plain array; of rank 0 the number, or the bytes of a string."""
        return np.array(self)[()]


def py_function(
    func: Callable[..., Any], inp: Sequence[Any], Tout: Any, name: str | None = None
) -> Any:
    """A Python function as an op; each argument is an array that has `numpy()`, too.

    TensorFlow calls the function with eager tensors, of which programs mostly ask `x.numpy()`. What
    differs here: functions of `td` make nodes of a graph, so that the function is to compute with
    NumPy, and there is no gradient through it.

    Args:
        func: from arrays to a value, or a list of them; None where `Tout` is empty. Values are
            cast to `Tout`, which `td.py_func` does not do.
        inp: a list of tensors: the arguments.
        Tout: the dtype of the result, or a list of the dtypes of the results.
        name: a name for the op.

    Returns:
        A Tensor, or a list of them, of unknown shapes; the Operation where there is no result.

    Raises:
        InvalidArgumentError: when it runs, the function raises an error, or returns what cannot be
            cast.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     y = td.py_function(lambda x: len(x.numpy()), [["one", "two"]], td.float32)
        ...     session.run(y)
        np.float32(2.0)
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got {func!r}")
    several = isinstance(Tout, (list, tuple))
    dtypes = [as_dtype(dtype) for dtype in (Tout if several else [Tout])]

    def call(*values: Any) -> Any:
        found = func(*[np.asarray(value).view(ValueArray) for value in values])
        if not dtypes:
            return []
        items = found if several and isinstance(found, (list, tuple)) else [found]
        if len(items) != len(dtypes):
            raise ValueError(f"the function returned {len(items)} values, {len(dtypes)} are due")
        return [_array(item, dtype) for item, dtype in zip(items, dtypes, strict=True)]

    return py_func(call, inp, Tout, name=name)


def _array(item: Any, dtype: Any) -> Any:
    if isinstance(item, Tensor):
        raise TypeError(
            f"the function returned a tensor of a graph, {item.name!r}: compute with NumPy in it"
        )
    return constant_array(item, dtype)[0]
