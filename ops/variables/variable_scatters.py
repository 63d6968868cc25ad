"""Functions that change some rows or elements of a variable."""

from __future__ import annotations

from typing import Any

from .scatter_updates import SCATTER, SCATTER_ND
from .variable import Variable
from .variable_updates import reference_of


def scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Sets rows of a variable.

    Args:
        ref: a Variable of any dtype, which has a value.
        indices: an int32 or int64 tensor: the numbers of the rows.
            If a row is named twice, the later update stays.
        updates: the new rows: of shape `indices.shape + ref.shape[1:]`, or a scalar for all.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change; of a resource variable the variable as it
        is then.

    Raises:
        InvalidArgumentError: when it runs, an index is out of range or a shape does not fit.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1, 2, 3])
        ...     session.run(v.initializer)
        ...     print(session.run(td.scatter_update(v, [0, 2], [7, 8])))
        [7 2 8]
    """
    return _scatter("Update", ref, indices, updates, use_locking, name)


def scatter_add(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Adds to rows of a variable.

    Args:
        ref: a Variable of numbers, which has a value.
        indices: an int32 or int64 tensor: the numbers of the rows.
            If a row is named twice, the updates add up.
        updates: what to add: of shape `indices.shape + ref.shape[1:]`, or a scalar for all.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change; of a resource variable the variable as it
        is then.

    Raises:
        InvalidArgumentError: when it runs, an index is out of range or a shape does not fit.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1, 2, 3])
        ...     session.run(v.initializer)
        ...     print(session.run(td.scatter_add(v, [0, 2], [7, 8])))
        [ 8  2 11]
    """
    return _scatter("Add", ref, indices, updates, use_locking, name)


def scatter_sub(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Subtracts from rows of a variable.

    Args:
        ref: a Variable of numbers, which has a value.
        indices: an int32 or int64 tensor: the numbers of the rows.
            If a row is named twice, the updates add up.
        updates: what to subtract: of shape `indices.shape + ref.shape[1:]`, or a scalar for all.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change; of a resource variable the variable as it
        is then.

    Raises:
        InvalidArgumentError: when it runs, an index is out of range or a shape does not fit.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1, 2, 3])
        ...     session.run(v.initializer)
        ...     print(session.run(td.scatter_sub(v, [0, 2], [7, 8])))
        [-6  2 -5]
    """
    return _scatter("Sub", ref, indices, updates, use_locking, name)


def scatter_mul(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Multiplies rows of a variable.

    Args:
        ref: a Variable of numbers, which has a value.
        indices: an int32 or int64 tensor: the numbers of the rows.
            If a row is named twice, both factors count.
        updates: what to multiply by: of shape `indices.shape + ref.shape[1:]`, or a scalar for all.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change; of a resource variable the variable as it
        is then.

    Raises:
        InvalidArgumentError: when it runs, an index is out of range or a shape does not fit.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1, 2, 3])
        ...     session.run(v.initializer)
        ...     print(session.run(td.scatter_mul(v, [0, 2], [7, 8])))
        [ 7  2 24]
    """
    return _scatter("Mul", ref, indices, updates, use_locking, name)


def scatter_div(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Divides rows of a variable; integers are cut towards zero.

    Args:
        ref: a Variable of numbers, which has a value.
        indices: an int32 or int64 tensor: the numbers of the rows.
            If a row is named twice, both divisors count.
        updates: what to divide by: of shape `indices.shape + ref.shape[1:]`, or a scalar for all.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change; of a resource variable the variable as it
        is then.

    Raises:
        InvalidArgumentError: when it runs, an index is out of range or a shape does not fit.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1, 2, 3])
        ...     session.run(v.initializer)
        ...     print(session.run(td.scatter_div(v, [0, 2], [7, 8])))
        [0 2 0]
    """
    return _scatter("Div", ref, indices, updates, use_locking, name)


def scatter_min(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Lowers rows of a variable to at most what is given.

    Args:
        ref: a Variable of numbers, which has a value.
        indices: an int32 or int64 tensor: the numbers of the rows.
            If a row is named twice, the least counts.
        updates: the most that is left: of shape `indices.shape + ref.shape[1:]`, or a scalar.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change; of a resource variable the variable as it
        is then.

    Raises:
        InvalidArgumentError: when it runs, an index is out of range or a shape does not fit.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1, 2, 3])
        ...     session.run(v.initializer)
        ...     print(session.run(td.scatter_min(v, [0, 2], [7, 8])))
        [1 2 3]
    """
    return _scatter("Min", ref, indices, updates, use_locking, name)


def scatter_max(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Raises rows of a variable to at least what is given.

    Args:
        ref: a Variable of numbers, which has a value.
        indices: an int32 or int64 tensor: the numbers of the rows.
            If a row is named twice, the greatest counts.
        updates: the least that is left: of shape `indices.shape + ref.shape[1:]`, or a scalar.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change; of a resource variable the variable as it
        is then.

    Raises:
        InvalidArgumentError: when it runs, an index is out of range or a shape does not fit.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1, 2, 3])
        ...     session.run(v.initializer)
        ...     print(session.run(td.scatter_max(v, [0, 2], [7, 8])))
        [7 2 8]
    """
    return _scatter("Max", ref, indices, updates, use_locking, name)


def scatter_nd_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Sets elements or slices of a variable, by their positions.

    Args:
        ref: a Variable, which has a value.
        indices: an int32 or int64 tensor, whose last dimension runs over dimensions of `ref`.
        updates: the new contents: of shape `indices.shape[:-1] + ref.shape[indices.shape[-1]:]`.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change; of a resource variable the variable as it
        is then.

    Raises:
        InvalidArgumentError: when it runs, an index is out of range or a shape does not fit.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1, 2, 3])
        ...     session.run(v.initializer)
        ...     print(session.run(td.scatter_nd_update(v, [[0], [2]], [7, 8])))
        [7 2 8]
    """
    return _scatter_nd("Update", ref, indices, updates, use_locking, name)


def scatter_nd_add(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Adds to elements or slices of a variable, by their positions.

    Args:
        ref: a Variable, which has a value.
        indices: an int32 or int64 tensor, whose last dimension runs over dimensions of `ref`.
        updates: what to add: of shape `indices.shape[:-1] + ref.shape[indices.shape[-1]:]`.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change; of a resource variable the variable as it
        is then.

    Raises:
        InvalidArgumentError: when it runs, an index is out of range or a shape does not fit.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1, 2, 3])
        ...     session.run(v.initializer)
        ...     print(session.run(td.scatter_nd_add(v, [[0], [2]], [7, 8])))
        [ 8  2 11]
    """
    return _scatter_nd("Add", ref, indices, updates, use_locking, name)


def scatter_nd_sub(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Subtracts from elements or slices of a variable, by their positions.

    Args:
        ref: a Variable, which has a value.
        indices: an int32 or int64 tensor, whose last dimension runs over dimensions of `ref`.
        updates: what to subtract: of shape `indices.shape[:-1] + ref.shape[indices.shape[-1]:]`.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change; of a resource variable the variable as it
        is then.

    Raises:
        InvalidArgumentError: when it runs, an index is out of range or a shape does not fit.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1, 2, 3])
        ...     session.run(v.initializer)
        ...     print(session.run(td.scatter_nd_sub(v, [[0], [2]], [7, 8])))
        [-6  2 -5]
    """
    return _scatter_nd("Sub", ref, indices, updates, use_locking, name)


def _scatter(
    kind: str, ref: Any, indices: Any, updates: Any, use_locking: bool, name: str | None
) -> Any:
    if isinstance(ref, Variable):
        return ref._scatter(kind, indices, updates, use_locking, name)
    return SCATTER[kind](reference_of(ref), indices, updates, use_locking=use_locking, name=name)


def _scatter_nd(
    kind: str, ref: Any, indices: Any, updates: Any, use_locking: bool, name: str | None
) -> Any:
    if isinstance(ref, Variable):
        return ref._scatter_nd(kind, indices, updates, use_locking, name)
    return SCATTER_ND[kind](reference_of(ref), indices, updates, use_locking=use_locking, name=name)
