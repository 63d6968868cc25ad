"""Decorators of `tensorflow.python.util` for TensorFlow's own functions."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from inspect import Parameter, signature
from types import ModuleType
from typing import Any

from ...runtime.logging import ERROR, get_verbosity, set_verbosity
from ..deprecation import deprecated, deprecated_arg_values, deprecated_args

_LISTED = re.compile(r"@@\s*(\w+)")

__all__ = [
    "LazyLoader",
    "contextmanager",
    "deprecated",
    "deprecated_args",
    "deprecated_argument_lookup",
    "deprecated_arg_values",
    "fn_args",
    "get_func_name",
    "make_all",
    "remove_undocumented",
    "has_kwargs",
    "keras_export",
    "make_decorator",
    "should_use_result",
    "silence",
    "tf_export",
    "unwrap",
]


def deprecated_argument_lookup(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """The value of an argument that has two names.

    Raises:
        ValueError: both are given.
    """
    if old_value is not None and new_value is not None:
        raise ValueError(f"{new_name} and {old_name} are the same argument; specify one of them")
    return new_value if old_value is None else old_value


def tf_export(*names: str, **_: Any) -> Callable[[Any], Any]:
    """Decorator that exports nothing and returns its object unchanged."""
    return lambda thing: thing


keras_export = tf_export


def should_use_result(function: Any = None, **_: Any) -> Any:
    """A decorator that leaves a function as it is."""
    return (lambda given: given) if function is None else function


def make_decorator(target: Any, decorator_func: Any, *_: Any, **__: Any) -> Any:
    """Gives a wrapper the name and docstring of the wrapped function."""
    return wraps(target)(decorator_func)


def unwrap(maybe_decorator: Any) -> tuple[list[Any], Any]:
    """The functions around a function, and that itself."""
    around = []
    while hasattr(maybe_decorator, "__wrapped__"):
        around.append(maybe_decorator)
        maybe_decorator = maybe_decorator.__wrapped__
    return around, maybe_decorator


def fn_args(function: Any) -> tuple[str, ...]:
    """The names of a function's arguments, without `self` of bound ones."""
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    found = signature(function).parameters.values()
    return tuple(parameter.name for parameter in found if parameter.kind in kinds)


def has_kwargs(function: Any) -> bool:
    """True if a function takes arbitrary keyword arguments."""
    found = signature(function).parameters.values()
    return any(parameter.kind is Parameter.VAR_KEYWORD for parameter in found)


def get_func_name(function: Any) -> str:
    """The name of a function."""
    return getattr(function, "__name__", type(function).__name__)


class LazyLoader(ModuleType):
    """A module that is imported on first access.

    Args:
        local_name: its name in the importing module.
        parent_module_globals: the names there.
        name: the module.
    """

    def __init__(self, local_name: str, parent_module_globals: dict[str, Any], name: str) -> None:
        super().__init__(name)
        self._local_name, self._globals = local_name, parent_module_globals

    def __getattr__(self, item: str) -> Any:
        module = import_module(self.__name__)
        self._globals[self._local_name] = module
        return getattr(module, item)


def remove_undocumented(
    module_name: str,
    allowed_exception_list: Any = None,
    doc_string_modules: Any = None,
) -> None:
    """Would remove undocumented names from a module; nothing is removed."""


def make_all(module_name: str, doc_string_modules: Any = None) -> list[str]:
    """The names that the docstrings of modules list, each after `@@`.

    Args:
        module_name: the module.
        doc_string_modules: modules whose docstrings count; by default the module itself.
    """
    modules = doc_string_modules or [sys.modules[module_name]]
    listed = {name for module in modules for name in _LISTED.findall(module.__doc__ or "")}
    return sorted(listed)


_PRINT_DEPRECATION_WARNINGS = True


@contextmanager
def silence() -> Any:
    """Would silence deprecation warnings in a `with` block."""
    before = get_verbosity()
    set_verbosity(ERROR)
    try:
        yield
    finally:
        set_verbosity(before)
