"""Decorators of functions that are to be used no more."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..runtime.logging import warn

public = {"td.contrib.framework": "deprecated deprecated_arg_values deprecated_args"}


def deprecated(date: Any, instructions: str, warn_once: bool = True) -> Callable[[Any], Any]:
    """Decorator that warns at the first call of a deprecated function.

    Args:
        date: the day from which on the function may be gone.
        instructions: the alternative.
        warn_once: whether only the first call warns.

    Example:
        >>> @td.contrib.framework.deprecated("2017-01-01", "Use the other one.")
        ... def old(x):
        ...     return x + 1
        >>> old(1)
        2
    """

    def decorate(function: Any) -> Any:
        warned = False

        @wraps(function)
        def told_of(*args: Any, **kwargs: Any) -> Any:
            nonlocal warned
            if not (warned and warn_once):
                warned = True
                warn("%s is deprecated since %s: %s", function.__name__, date, instructions)
            return function(*args, **kwargs)

        return told_of

    return decorate


def deprecated_args(
    date: Any, instructions: str, *names: Any, **settings: Any
) -> Callable[[Any], Any]:
    """A decorator that leaves a function of deprecated arguments as it is.

    Args:
        date: the day from which on the arguments may be gone.
        instructions: the alternative.
        names: the arguments.
        settings: accepted for TensorFlow's sake.

    Example:
        >>> td.contrib.framework.deprecated_args(None, "Leave it out.", "dim")(len) is len
        True
    """
    return lambda function: function


def deprecated_arg_values(date: Any, instructions: str, **values: Any) -> Callable[[Any], Any]:
    """A decorator that leaves a function of deprecated values as it is.

    Args:
        date: the day from which on the values may be refused.
        instructions: the alternative.
        values: those that are deprecated, by argument.

    Example:
        >>> td.contrib.framework.deprecated_arg_values(None, "Leave it out.", dim=3)(len) is len
        True
    """
    return lambda function: function
