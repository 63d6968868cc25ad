"""Checks: assertions about tensors, decided when the graph is built as far as they can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph import errors
from ...graph.constant_value import constant_value
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..array.constants import constant
from ..math.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from ..math.reductions import reduce_all
from .assertions import Assert
from .ordering import no_op

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...graph.node import Operation


def _compared(
    what: str,
    relation: str,
    in_graph: Callable[..., Tensor],
    at_once: Callable[..., Any],
    x: Any,
    y: Any,
    data: Sequence[Any] | None,
    summarize: int | None,
    message: str | None,
    name: str | None,
) -> Operation:
    """An assertion that a relation holds between all elements."""
    with name_scope(name, what, [item for item in (x, y) if isinstance(item, Tensor)]):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, x.dtype.base_dtype, name="y")
        known = [constant_value(x), constant_value(y)]
        prefix = f"{message}: " if message else ""
        told = f"{prefix}{x.name} {relation} {y.name} does not hold for all elements"
        if all(value is not None for value in known):
            if np.all(at_once(*known)):
                return no_op(name="static_checks_determined_all_ok")
            raise errors.InvalidArgumentError(None, None, f"{told}: x = {known[0]}, y = {known[1]}")
        condition = reduce_all(in_graph(x, y))
        shown = [constant(told), constant("x ="), x, constant("y ="), y]
        return Assert(condition, shown if data is None else data, summarize)


def assert_equal(
    x: Any,
    y: Any,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Asserts that `x == y` holds for all elements.

    Args:
        x: a tensor of numbers.
        y: a tensor of the dtype of `x` that broadcasts with it.
        data: the tensors that the error shows; by default `x` and `y`.
        summarize: how many elements of each it shows.
        message: what the error begins with.
        name: a name for the scope of the ops.

    Returns:
        An Operation: something has to depend on it, or run it.

    Raises:
        InvalidArgumentError: it is known not to hold; or it does not when the Operation runs.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.assert_equal([1, 2], [1, 2]).type
        'NoOp'
    """
    given = (data, summarize, message, name)
    return _compared("assert_equal", "==", equal, np.equal, x, y, *given)


def assert_none_equal(
    x: Any,
    y: Any,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Asserts that `x != y` holds for all elements.

    Args:
        x: a tensor of numbers.
        y: a tensor of the dtype of `x` that broadcasts with it.
        data: the tensors that the error shows; by default `x` and `y`.
        summarize: how many elements of each it shows.
        message: what the error begins with.
        name: a name for the scope of the ops.

    Returns:
        An Operation: something has to depend on it, or run it.

    Raises:
        InvalidArgumentError: it is known not to hold; or it does not when the Operation runs.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.assert_none_equal([1, 2], [2, 1]).type
        'NoOp'
    """
    given = (data, summarize, message, name)
    return _compared("assert_none_equal", "!=", not_equal, np.not_equal, x, y, *given)


def assert_less(
    x: Any,
    y: Any,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Asserts that `x < y` holds for all elements.

    Args:
        x: a tensor of numbers.
        y: a tensor of the dtype of `x` that broadcasts with it.
        data: the tensors that the error shows; by default `x` and `y`.
        summarize: how many elements of each it shows.
        message: what the error begins with.
        name: a name for the scope of the ops.

    Returns:
        An Operation: something has to depend on it, or run it.

    Raises:
        InvalidArgumentError: it is known not to hold; or it does not when the Operation runs.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.assert_less([1, 2], [2, 3]).type
        'NoOp'
    """
    given = (data, summarize, message, name)
    return _compared("assert_less", "<", less, np.less, x, y, *given)


def assert_less_equal(
    x: Any,
    y: Any,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Asserts that `x <= y` holds for all elements.

    Args:
        x: a tensor of numbers.
        y: a tensor of the dtype of `x` that broadcasts with it.
        data: the tensors that the error shows; by default `x` and `y`.
        summarize: how many elements of each it shows.
        message: what the error begins with.
        name: a name for the scope of the ops.

    Returns:
        An Operation: something has to depend on it, or run it.

    Raises:
        InvalidArgumentError: it is known not to hold; or it does not when the Operation runs.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.assert_less_equal([1, 2], [1, 3]).type
        'NoOp'
    """
    given = (data, summarize, message, name)
    return _compared("assert_less_equal", "<=", less_equal, np.less_equal, x, y, *given)


def assert_greater(
    x: Any,
    y: Any,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Asserts that `x > y` holds for all elements.

    Args:
        x: a tensor of numbers.
        y: a tensor of the dtype of `x` that broadcasts with it.
        data: the tensors that the error shows; by default `x` and `y`.
        summarize: how many elements of each it shows.
        message: what the error begins with.
        name: a name for the scope of the ops.

    Returns:
        An Operation: something has to depend on it, or run it.

    Raises:
        InvalidArgumentError: it is known not to hold; or it does not when the Operation runs.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.assert_greater([2, 3], [1, 2]).type
        'NoOp'
    """
    given = (data, summarize, message, name)
    return _compared("assert_greater", ">", greater, np.greater, x, y, *given)


def assert_greater_equal(
    x: Any,
    y: Any,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Asserts that `x >= y` holds for all elements.

    Args:
        x: a tensor of numbers.
        y: a tensor of the dtype of `x` that broadcasts with it.
        data: the tensors that the error shows; by default `x` and `y`.
        summarize: how many elements of each it shows.
        message: what the error begins with.
        name: a name for the scope of the ops.

    Returns:
        An Operation: something has to depend on it, or run it.

    Raises:
        InvalidArgumentError: it is known not to hold; or it does not when the Operation runs.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.assert_greater_equal([2, 3], [2, 2]).type
        'NoOp'
    """
    given = (data, summarize, message, name)
    return _compared("assert_greater_equal", ">=", greater_equal, np.greater_equal, x, y, *given)


def assert_negative(
    x: Any,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Asserts that `x < 0` holds for all elements.

    Args:
        x: a tensor of numbers.
        data: the tensors that the error shows; by default `x`.
        summarize: how many elements of each it shows.
        message: what the error begins with.
        name: a name for the scope of the ops.

    Returns:
        An Operation: something has to depend on it, or run it.

    Raises:
        InvalidArgumentError: it is known not to hold; or it does not when the Operation runs.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.assert_negative([-1, -2]).type
        'NoOp'
    """
    given = (data, summarize, message, name)
    return _compared("assert_negative", "<", less, np.less, x, 0, *given)


def assert_positive(
    x: Any,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Asserts that `x > 0` holds for all elements.

    Args:
        x: a tensor of numbers.
        data: the tensors that the error shows; by default `x`.
        summarize: how many elements of each it shows.
        message: what the error begins with.
        name: a name for the scope of the ops.

    Returns:
        An Operation: something has to depend on it, or run it.

    Raises:
        InvalidArgumentError: it is known not to hold; or it does not when the Operation runs.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.assert_positive([1, 2]).type
        'NoOp'
    """
    given = (data, summarize, message, name)
    return _compared("assert_positive", ">", greater, np.greater, x, 0, *given)


def assert_non_negative(
    x: Any,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Asserts that `x >= 0` holds for all elements.

    Args:
        x: a tensor of numbers.
        data: the tensors that the error shows; by default `x`.
        summarize: how many elements of each it shows.
        message: what the error begins with.
        name: a name for the scope of the ops.

    Returns:
        An Operation: something has to depend on it, or run it.

    Raises:
        InvalidArgumentError: it is known not to hold; or it does not when the Operation runs.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.assert_non_negative([0, 2]).type
        'NoOp'
    """
    given = (data, summarize, message, name)
    return _compared("assert_non_negative", ">=", greater_equal, np.greater_equal, x, 0, *given)


def assert_non_positive(
    x: Any,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Asserts that `x <= 0` holds for all elements.

    Args:
        x: a tensor of numbers.
        data: the tensors that the error shows; by default `x`.
        summarize: how many elements of each it shows.
        message: what the error begins with.
        name: a name for the scope of the ops.

    Returns:
        An Operation: something has to depend on it, or run it.

    Raises:
        InvalidArgumentError: it is known not to hold; or it does not when the Operation runs.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.assert_non_positive([0, -2]).type
        'NoOp'
    """
    given = (data, summarize, message, name)
    return _compared("assert_non_positive", "<=", less_equal, np.less_equal, x, 0, *given)
