"""Functions of a program that workers run: those that can be imported there, by their names.

No function travels. What does is the name of one at the top of a module, `module:name`, which the
driver writes of functions that the program gave to ops; what a file says of them is never read.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from ..graph.node import Operation
from ..ops.debugging.py_func import function_of
from ..runtime import errors
from ..shape_inference.split_parts import NotSplittable, Partition, SplitContext, by_letters


def name_on_workers(op: Operation) -> str:
    """The name under which workers import the function that an op calls.

    Raises:
        Mixes: they cannot; it tells why.
    """
    function = function_of(op)
    if function is None:
        raise NotSplittable("it calls a function of a program, which is not part of a file")
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    if module is None and isinstance(function, np.ufunc):
        module = "numpy"
    if module == "__main__":
        raise NotSplittable(f"it calls {name!r} of the program itself, which workers cannot import")
    if not name or _found(sys.modules.get(str(module)), name) is not function:
        raise NotSplittable(
            "it calls a function that is not at the top of a module, so it cannot travel"
        )
    return f"{module}:{name}"


def falls_as_said(c: SplitContext, op: Operation) -> Partition:
    """How an op falls apart that calls a function: as the function's own `splits` says.

    Raises:
        Mixes: it says nothing, or cannot be imported by workers.
    """
    name = name_on_workers(op)
    function: Any = function_of(op)
    splits = getattr(function, "splits", None)
    if splits is None and isinstance(function, np.ufunc):
        splits = f"{','.join('...' for _ in op.inputs)}->..."
    if splits is None:
        raise NotSplittable(
            f"it calls {name!r}, which has no attribute `splits` to tell what rows make"
        )
    inputs, _, results = str(splits).partition("->")
    if (len(inputs.split(",")), len(results.split(","))) != (len(op.inputs), len(op.outputs)):
        raise NotSplittable(
            f"the attribute `splits` of {name!r} is {splits!r}: a term for each argument"
        )
    return by_letters(c, str(splits))


def imported(name: str) -> Callable[..., Any]:
    """The function of a name that the driver has written.

    Raises:
        NotFoundError: there is none here.
    """
    module, _, inner = name.partition(":")
    try:
        function: Any = _found(import_module(module), inner)
    except ImportError as error:
        raise errors.NotFoundError(
            None, None, f"a worker cannot import {name!r}: {error}"
        ) from error
    if function is None:
        raise errors.NotFoundError(None, None, f"on a worker, {module!r} has no {inner!r}")
    return function


def _found(module: Any, name: str) -> Any:
    for part in name.split("."):
        module = getattr(module, part, None)
    return module
