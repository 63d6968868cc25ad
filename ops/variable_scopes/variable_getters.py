"""Custom getters, through which `td.get_variable` gets a variable from the store."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Protocol

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_graph import get_default_graph
from ...protos.dtypes import as_dtype
from ..variables.variable_sharing import sharing
from .variable_store import dtype_or, store_of

public = {"td": "no_regularizer"}

# The arguments of `get_variable`, by which a custom getter is called, and what they are by default.
SETTINGS: dict[str, Any] = {
    "shape": None,
    "dtype": None,
    "initializer": None,
    "regularizer": None,
    "reuse": None,
    "trainable": None,
    "collections": None,
    "caching_device": None,
    "partitioner": None,
    "validate_shape": True,
    "use_resource": None,
    "constraint": None,
    "synchronization": None,
    "aggregation": None,
}
_OF_SCOPES = (
    "dtype",
    "initializer",
    "regularizer",
    "reuse",
    "caching_device",
    "partitioner",
    "use_resource",
    "constraint",
)
_SHARED = ("synchronization", "aggregation", "trainable")
# Getters that were written before TensorFlow had these do not take them.
_LATE = ("constraint", "synchronization", "aggregation")


def nested(inner: Callable[..., Any] | None, outer: Callable[..., Any] | None) -> Any:
    """A getter that goes through both of two custom getters."""
    if inner is None or outer is None:
        return inner or outer

    def through_both(getter: Callable[..., Any], *args: Any, **settings: Any) -> Any:
        def through_outer(*args: Any, **settings: Any) -> Any:
            return outer(getter, *args, **settings)

        return inner(through_outer, *args, **settings)

    return through_both


class Scope(Protocol):
    """Options of a getter, besides the settings of a variable scope."""

    @property
    def name(self) -> str:
        """The full name."""

    @property
    def dtype(self) -> Any:
        """The dtype of variables for which none is given."""

    @property
    def custom_getter(self) -> Callable[..., Any] | None:
        """Function called instead of the usual getter."""


def got(
    scope: Scope,
    name: str,
    custom_getter: Callable[..., Any] | None = None,
    **given: Any,
) -> Any:
    """The variable of a name under `scope`, found or made: see `td.get_variable`."""
    if not isinstance(name, (str, bytes)):
        raise TypeError(f"the name of a variable must be a string, got {name!r}")
    store = store_of(get_default_graph())

    def getter(name: str, *args: Any, **given: Any) -> Any:
        settings = {**SETTINGS, **dict(zip(SETTINGS, args, strict=False)), **given}
        settings["dtype"] = dtype_or(settings["dtype"], scope.dtype)
        return store.get(name, **settings)

    settings = {**SETTINGS, **given}
    for key in _OF_SCOPES:
        if settings[key] is None:
            settings[key] = getattr(scope, key)
    _check_dtype(
        settings["dtype"] if given.get("dtype") is not None else None, settings["initializer"]
    )
    settings["dtype"] = dtype_or(settings["dtype"], scope.dtype)
    synchronization, aggregation, trainable = (settings[key] for key in _SHARED)
    shared = sharing(synchronization, aggregation, trainable, name)
    settings.update(zip(_SHARED, shared, strict=True))
    full_name = f"{scope.name}/{name}" if scope.name else name
    custom = scope.custom_getter if custom_getter is None else custom_getter
    if custom is None:
        return getter(full_name, **settings)
    if not callable(custom):
        raise ValueError(f"custom_getter must be a function, got {custom!r}")
    taken = {key: settings[key] for key in settings if key not in _LATE or _takes(custom, key)}
    with get_default_graph().name_scope(None):  # what the getter adds is named as the variable is
        return custom(getter=getter, name=full_name, **taken)


def _check_dtype(dtype: Any, initializer: Any) -> None:
    """Checks that an initial value is of the dtype that is asked for beside it."""
    if dtype is not None and initializer is not None and not callable(initializer):
        dtype_of_value = convert_to_tensor(initializer).dtype.base_dtype
        if dtype_of_value is not as_dtype(dtype).base_dtype:
            raise ValueError(
                f"Initializer type {dtype_of_value.name!r} and explicit dtype "
                f"{as_dtype(dtype).name!r} don't match: leave the dtype out, or convert the "
                "initial value"
            )


def _takes(function: Callable[..., Any], name: str) -> bool:
    parameters = inspect.signature(function).parameters
    return name in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def no_regularizer(tensor: TensorLike) -> None:
    """A regularizer that does nothing: for a variable that is to be without that of its scope.

    Args:
        tensor: the variable.

    Example:
        >>> with td.Graph().as_default():
        ...     with td.variable_scope("layer", regularizer=td.reduce_sum):
        ...         w = td.get_variable("w", [2])
        ...         b = td.get_variable("b", [2], regularizer=td.no_regularizer)
        ...     len(td.get_collection(td.GraphKeys.REGULARIZATION_LOSSES))
        1
    """
