"""`tensorflow.python.util.tf_inspect`: Python's own `inspect`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import (
    FullArgSpec,
    currentframe,
    getcallargs,
    getdoc,
    getfile,
    getmembers,
    getmodule,
    getmro,
    getsource,
    isclass,
    isfunction,
    isgenerator,
    isgeneratorfunction,
    ismethod,
    ismodule,
    isroutine,
    signature,
    stack,
    unwrap,
)
from typing import Any

__all__ = [
    "FullArgSpec",
    "currentframe",
    "getargspec",
    "getcallargs",
    "getdoc",
    "getfile",
    "getfullargspec",
    "getmembers",
    "getmodule",
    "getmro",
    "getsource",
    "isclass",
    "isfunction",
    "isgenerator",
    "isgeneratorfunction",
    "ismethod",
    "ismodule",
    "isroutine",
    "signature",
    "stack",
]


def getfullargspec(function: Callable[..., Any]) -> FullArgSpec:
    """Signature of the innermost wrapped function, without annotations."""
    return inspect.getfullargspec(unwrap(function))._replace(annotations={})


getargspec = getfullargspec
