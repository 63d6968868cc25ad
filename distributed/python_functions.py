"""Functions of a program that workers run: they are imported there by name.

No function is sent, only the name of a module-level function, `module:name`, which the driver
derives from functions that the program passed to ops; names in files are never used.
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
        NotSplittable: they cannot; the message gives the reason.
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
    """Partition of an op that calls a function, from the function's attribute `splits`.

    Raises:
        NotSplittable: it has no such attribute, or workers cannot import it.
    """
    name = name_on_workers(op)
    function: Any = function_of(op)
    splits = getattr(function, "splits", None)
    if splits is None and isinstance(function, np.ufunc):
        splits = f"{','.join('...' for _ in op.inputs)}->..."
    if splits is None:
        raise NotSplittable(
            f"it calls {name!r}, which has no attribute `splits` to specify its rows"
        )
    inputs, _, results = str(splits).partition("->")
    if (len(inputs.split(",")), len(results.split(","))) != (len(op.inputs), len(op.outputs)):
        raise NotSplittable(
            f"the attribute `splits` of {name!r} is {splits!r}: a term for each argument"
        )
    return by_letters(c, str(splits))


def imported(name: str) -> Callable[..., Any]:
    """Imports a function by the name that the driver has sent.

    Raises:
        NotFoundError: it does not exist here.
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
