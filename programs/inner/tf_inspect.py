"""`tensorflow.python.util.tf_inspect`: Python's own `inspect`."""

from __future__ import annotations

from inspect import (
    FullArgSpec,
    currentframe,
    getcallargs,
    getdoc,
    getfile,
    getfullargspec,
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
)

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

getargspec = getfullargspec
