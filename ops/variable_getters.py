"""How `td.get_variable` gets a variable under a scope: by way of custom getters, from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph.default_graph import get_default_graph
from .variable_store import dtype_or, store_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .variable import Variable
    from .variable_scope import Reuse, VariableScope

# What else TensorFlow tells a custom getter; some look at these, or take them out.
_ACCEPTED = (
    "caching_device",
    "partitioner",
    "use_resource",
    "constraint",
    "synchronization",
    "aggregation",
)


def nested(inner: Callable[..., Any] | None, outer: Callable[..., Any] | None) -> Any:
    """A getter that goes through both of two custom getters."""
    if inner is None or outer is None:
        return inner or outer

    def through_both(getter: Callable[..., Any], *args: Any, **settings: Any) -> Any:
        def through_outer(*args: Any, **settings: Any) -> Any:
            return outer(getter, *args, **settings)

        return inner(through_outer, *args, **settings)

    return through_both


def got(
    scope: VariableScope,
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = True,
    collections: Iterable[str] | None = None,
    validate_shape: bool = True,
    custom_getter: Callable[..., Any] | None = None,
    reuse: Reuse = None,
) -> Variable:
    """The variable of a name under `scope`, found or made: see `td.get_variable`."""
    store = store_of(get_default_graph())

    def getter(
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = True,
        collections: Iterable[str] | None = None,
        validate_shape: bool = True,
        reuse: Reuse = None,
        **_: Any,
    ) -> Variable:
        return store.get(
            name,
            reuse,
            shape,
            dtype_or(dtype, scope.dtype),
            initializer,
            regularizer,
            trainable is not False,
            collections,
            validate_shape,
        )

    settings = {
        "shape": shape,
        "dtype": dtype_or(dtype, scope.dtype),
        "initializer": scope.initializer if initializer is None else initializer,
        "regularizer": scope.regularizer if regularizer is None else regularizer,
        "trainable": trainable,
        "collections": collections,
        "validate_shape": validate_shape,
        "reuse": scope.reuse if reuse is None else reuse,
    }
    full_name = f"{scope.name}/{name}" if scope.name else name
    custom = nested(custom_getter, scope.custom_getter)
    if custom is None:
        return getter(full_name, **settings)
    return custom(getter, full_name, **settings, **dict.fromkeys(_ACCEPTED))  # type: ignore[no-any-return]


def no_regularizer(tensor: Any) -> None:
    """A regularizer that does nothing: for a variable that is to be without that of its scope.

    Args:
        tensor: the variable.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     with td.variable_scope("layer", regularizer=td.reduce_sum):
        ...         w = td.get_variable("w", [2])
        ...         b = td.get_variable("b", [2], regularizer=td.no_regularizer)
        ...     len(td.get_collection(td.GraphKeys.REGULARIZATION_LOSSES))
        1
    """
    del tensor
