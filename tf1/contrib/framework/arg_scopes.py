"""Arguments that hold for all calls of some functions in a `with` block: `arg_scope`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    Arguments = dict[str, dict[str, Any]]

public = {
    "td.contrib.framework, td.contrib.slim": (
        "add_arg_scope arg_scope arg_scope_func_key arg_scoped_arguments current_arg_scope "
        "has_arg_scope"
    ),
}

F = TypeVar("F", bound="Callable[..., Any]")

_in_force: ContextVar[Arguments | None] = ContextVar("arg_scope", default=None)
_optional: dict[str, tuple[str, ...]] = {}  # the arguments with defaults, of each function


def arg_scope_func_key(op: Callable[..., Any]) -> str:
    """The key of a function in the dict that `arg_scope` yields.

    Args:
        op: the function.

    Example:
        >>> key = td.contrib.framework.arg_scope_func_key
        >>> key(td.contrib.slim.conv2d) == key(td.contrib.layers.convolution2d)
        True
    """
    return cast("str", getattr(op, "_key_op", str(op)))


def current_arg_scope() -> Arguments:
    """The arguments in force, by the keys of functions.

    Example:
        >>> td.contrib.framework.current_arg_scope()
        {}
    """
    return _in_force.get() or {}


def has_arg_scope(func: Callable[..., Any]) -> bool:
    """True if a function takes arguments from `arg_scope`.

    Args:
        func: the function.

    Example:
        >>> slim = td.contrib.slim
        >>> slim.has_arg_scope(slim.conv2d), slim.has_arg_scope(td.layers.conv2d)
        (True, False)
    """
    return arg_scope_func_key(func) in _optional


def arg_scoped_arguments(func: Callable[..., Any]) -> tuple[str, ...]:
    """The arguments of a function that have defaults, which `arg_scope` may set.

    Args:
        func: a function that takes arguments from `arg_scope`.

    Raises:
        ValueError: it does not take any.

    Example:
        >>> td.contrib.slim.arg_scoped_arguments(td.contrib.slim.flatten)
        ('outputs_collections', 'scope')
    """
    _require(func)
    return _optional[arg_scope_func_key(func)]


def _require(func: Callable[..., Any]) -> str:
    if not has_arg_scope(func):
        raise ValueError(f"{_name(func)} takes no arguments from arg_scope: see add_arg_scope")
    return arg_scope_func_key(func)


def _name(func: Callable[..., Any]) -> str:
    return getattr(func, "__name__", repr(func))


def add_arg_scope(func: F) -> F:
    """Decorator: the function takes arguments from `arg_scope`, which calls may override.

    Args:
        func: the function.

    Returns:
        The function, which looks up the current scope at each call.

    Example:
        >>> slim = td.contrib.slim
        >>> @slim.add_arg_scope
        ... def describe(size, colour="red"):
        ...     return f"{size} {colour}"
        >>> with slim.arg_scope([describe], colour="green"):
        ...     describe("small"), describe("large", colour="blue")
        ('small green', 'large blue')
    """
    key = arg_scope_func_key(func)

    @functools.wraps(func)
    def scoped(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **{**current_arg_scope().get(key, {}), **kwargs})

    parameters = inspect.signature(func).parameters.values()
    with_defaults = [item.name for item in parameters if item.default is not item.empty]
    _optional[key] = tuple(with_defaults)
    scoped._key_op = key  # type: ignore[attr-defined]
    return cast("F", scoped)


@contextmanager
def arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[Arguments]:
    """Sets arguments for all calls of some functions in a `with` block.

    Nested blocks accumulate. The result of a block may be passed to a later `arg_scope`, in which
    those arguments, and no others, are in force.

    Args:
        list_ops_or_scope: a list of functions, or the result of an earlier block.
        kwargs: the arguments, by name; none if a scope is given.

    Yields:
        All arguments in force, by the keys of functions.

    Raises:
        TypeError: the first argument is neither.
        ValueError: a function takes no arguments from `arg_scope`, or there are arguments beside
            a scope.

    Example:
        >>> slim = td.contrib.slim
        >>> with td.Graph().as_default():
        ...     with slim.arg_scope([slim.conv2d], padding="VALID", activation_fn=None) as scope:
        ...         x = slim.conv2d(td.ones([1, 8, 8, 3]), 4, 3)
        ...     with slim.arg_scope(scope):
        ...         y = slim.conv2d(x, 4, 3)
        ...     y.shape.as_list(), y.op.type
        ([1, 4, 4, 4], 'BiasAdd')
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError(f"a scope that is used again takes no arguments, got {[*kwargs]}")
        scope = dict(list_ops_or_scope)
    elif isinstance(list_ops_or_scope, (list, tuple, set)):
        scope = dict(current_arg_scope())
        for func in list_ops_or_scope:
            key = _require(func)
            scope[key] = {**scope.get(key, {}), **kwargs}
    else:
        raise TypeError(f"arg_scope takes a list of functions or a scope, got {list_ops_or_scope}")
    token = _in_force.set(scope)
    try:
        yield scope
    finally:
        _in_force.reset(token)
