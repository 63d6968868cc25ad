"""Functions that change some rows or elements of a variable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .scatter_updates import SCATTER, SCATTER_ND
from .variable_updates import reference_of

if TYPE_CHECKING:
    from ..graph.node import Tensor
    from ..graph.op_def import OpDef


def scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Tensor:
    """Sets rows of a variable.

    Args:
        ref: a Variable of any dtype, which has a value.
        indices: an int32 or int64 tensor: the numbers of the rows.
            If a row is named twice, the later update stays.
        updates: the new rows: of shape `indices.shape + ref.shape[1:]`, or a scalar for all.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change.

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
    return _scatter(SCATTER["Update"], ref, indices, updates, use_locking, name)


def scatter_add(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Tensor:
    """Adds to rows of a variable.

    Args:
        ref: a Variable of numbers, which has a value.
        indices: an int32 or int64 tensor: the numbers of the rows.
            If a row is named twice, the updates add up.
        updates: what to add: of shape `indices.shape + ref.shape[1:]`, or a scalar for all.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change.

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
    return _scatter(SCATTER["Add"], ref, indices, updates, use_locking, name)


def scatter_sub(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Tensor:
    """Subtracts from rows of a variable.

    Args:
        ref: a Variable of numbers, which has a value.
        indices: an int32 or int64 tensor: the numbers of the rows.
            If a row is named twice, the updates add up.
        updates: what to subtract: of shape `indices.shape + ref.shape[1:]`, or a scalar for all.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change.

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
    return _scatter(SCATTER["Sub"], ref, indices, updates, use_locking, name)


def scatter_mul(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Tensor:
    """Multiplies rows of a variable.

    Args:
        ref: a Variable of numbers, which has a value.
        indices: an int32 or int64 tensor: the numbers of the rows.
            If a row is named twice, both factors count.
        updates: what to multiply by: of shape `indices.shape + ref.shape[1:]`, or a scalar for all.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change.

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
    return _scatter(SCATTER["Mul"], ref, indices, updates, use_locking, name)


def scatter_div(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Tensor:
    """Divides rows of a variable; integers are cut towards zero.

    Args:
        ref: a Variable of numbers, which has a value.
        indices: an int32 or int64 tensor: the numbers of the rows.
            If a row is named twice, both divisors count.
        updates: what to divide by: of shape `indices.shape + ref.shape[1:]`, or a scalar for all.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change.

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
    return _scatter(SCATTER["Div"], ref, indices, updates, use_locking, name)


def scatter_min(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Tensor:
    """Lowers rows of a variable to at most what is given.

    Args:
        ref: a Variable of numbers, which has a value.
        indices: an int32 or int64 tensor: the numbers of the rows.
            If a row is named twice, the least counts.
        updates: the most that is left: of shape `indices.shape + ref.shape[1:]`, or a scalar.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change.

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
    return _scatter(SCATTER["Min"], ref, indices, updates, use_locking, name)


def scatter_max(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Tensor:
    """Raises rows of a variable to at least what is given.

    Args:
        ref: a Variable of numbers, which has a value.
        indices: an int32 or int64 tensor: the numbers of the rows.
            If a row is named twice, the greatest counts.
        updates: the least that is left: of shape `indices.shape + ref.shape[1:]`, or a scalar.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change.

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
    return _scatter(SCATTER["Max"], ref, indices, updates, use_locking, name)


def scatter_nd_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Tensor:
    """Sets elements or slices of a variable, by their positions.

    Args:
        ref: a Variable, which has a value.
        indices: an int32 or int64 tensor, whose last dimension runs over dimensions of `ref`.
        updates: the new contents: of shape `indices.shape[:-1] + ref.shape[indices.shape[-1]:]`.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change.

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
    return _scatter(SCATTER_ND["Update"], ref, indices, updates, use_locking, name)


def scatter_nd_add(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Tensor:
    """Adds to elements or slices of a variable, by their positions.

    Args:
        ref: a Variable, which has a value.
        indices: an int32 or int64 tensor, whose last dimension runs over dimensions of `ref`.
        updates: what to add: of shape `indices.shape[:-1] + ref.shape[indices.shape[-1]:]`.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change.

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
    return _scatter(SCATTER_ND["Add"], ref, indices, updates, use_locking, name)


def scatter_nd_sub(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Tensor:
    """Subtracts from elements or slices of a variable, by their positions.

    Args:
        ref: a Variable, which has a value.
        indices: an int32 or int64 tensor, whose last dimension runs over dimensions of `ref`.
        updates: what to subtract: of shape `indices.shape[:-1] + ref.shape[indices.shape[-1]:]`.
        use_locking: accepted for TensorFlow's sake: every change is one step.
        name: a name for the op.

    Returns:
        A Tensor that is the variable after the change.

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
    return _scatter(SCATTER_ND["Sub"], ref, indices, updates, use_locking, name)


def _scatter(
    definition: OpDef, ref: Any, indices: Any, updates: Any, use_locking: bool, name: str | None
) -> Tensor:
    return definition(  # type: ignore[no-any-return]
        reference_of(ref), indices, updates, use_locking=use_locking, name=name
    )
