"""Getting variables by their names, under the variable scope in force."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph.scopes.collections import GraphKeys
from .variable_getters import got
from .variable_scope import get_variable_scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..variables.variable import Variable

public = {"td": "get_local_variable get_variable"}


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = True,
    collections: Iterable[str] | None = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Callable[..., Any] | None = None,
    constraint: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Variable:
    """The variable of a name under the variable scope in force: found, or made.

    Args:
        name: the name.
        shape: the shape; not needed where `initializer` is a value or the variable exists.
        dtype: the dtype; by default that of the scope, float32.
        initializer: a function such as `td.zeros_initializer()`, called with the shape and the
            dtype, or a value; by default that of the scope, else Glorot's uniform random numbers,
            or zeros where the dtype is not floating.
        regularizer: a function from the variable to a tensor, which is added to the collection of
            regularization losses.
        trainable: as for `td.Variable`.
        collections: as for `td.Variable`.
        caching_device: the device on which the variable is read, if that is another.
        partitioner: accepted for TensorFlow's sake; variables are kept whole.
        validate_shape: as for `td.Variable`.
        use_resource: whether to make a resource variable; by default as the scope says.
        custom_getter: as for `td.variable_scope`, whose own it stands in for.
        constraint: as for `td.Variable`.
        synchronization: accepted for TensorFlow's sake.
        aggregation: accepted for TensorFlow's sake.

    Returns:
        A Variable.

    Raises:
        ValueError: it exists and may not be reused, or the other way round; the shape or dtype is
            not that of the existing one; there is no shape.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     b = td.get_variable("b", [2], initializer=td.ones_initializer())
        ...     session.run(b.initializer)
        ...     print(session.run(b))
        [1. 1.]
    """
    return got(
        get_variable_scope(),
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=collections,
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        custom_getter=custom_getter,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def get_local_variable(name: str, *args: Any, **settings: Any) -> Variable:
    """`get_variable` of a variable that is local: not trainable, and listed as a local one.

    Args:
        name: the name.
        args: as for `td.get_variable`.
        settings: as for `td.get_variable`.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     count = td.get_local_variable("count", [], td.int32)
        ...     count.trainable, td.local_variables() == [count]
        (False, True)
    """
    settings["collections"] = [*(settings.get("collections") or ()), GraphKeys.LOCAL_VARIABLES]
    settings["trainable"] = False
    return get_variable(name, *args, **settings)
