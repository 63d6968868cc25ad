"""Functions generated from table rows, presented as if they were written out in the module."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from inspect import Signature, cleandoc, signature
from typing import Any


def public_function(
    call: Callable[..., Any],
    name: str,
    doc: str,
    arguments: Sequence[str] = (),
    module: str | None = None,
) -> Any:
    """`call` by its public name, as a function of the module in which its row stands.

    Args:
        call: a function made for this row only.
        name: the name that errors, `help` and the reference show.
        doc: the docstring.
        arguments: the names of the first arguments, where users write others than `call` has.
        module: the module that it is a function of; by default that from which the function that
            calls this one is called.
    """
    function = call
    call.__name__ = call.__qualname__ = name
    own = signature(call)
    parameters = list(own.parameters.values())
    if list(arguments) != list(own.parameters)[: len(arguments)]:
        named = zip(arguments, parameters, strict=False)
        parameters[: len(arguments)] = [old.replace(name=new) for new, old in named]
        function = _renamed(call, name, own.replace(parameters=parameters))
    function.__name__ = function.__qualname__ = name
    function.__module__ = module or sys._getframe(2).f_globals["__name__"]
    function.__doc__ = cleandoc(doc)
    return function


def _renamed(call: Callable[..., Any], name: str, public: Any) -> Callable[..., Any]:
    @functools.wraps(call)
    def function(*args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            return call(*args)
        try:
            bound = public.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}(): {error}") from None
        bound.apply_defaults()
        return call(*bound.args)

    sign(function, public)
    return function


def sign(function: Any, signature: Signature) -> None:
    """Gives a function the signature that `help` and type checks at the call show."""
    function.__signature__ = signature
