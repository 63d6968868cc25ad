"""Placeholders for TensorFlow's debugger, so that programs can import its names."""

from __future__ import annotations

from typing import Any

import numpy as np

_INSTEAD = "use td.Session.profile and td.Print instead"


class _Absent:
    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError(
            f"TensorFlow's debugger ({type(self).__name__}) is not supported: " + _INSTEAD
        )


class DumpingDebugWrapperSession(_Absent):
    """Would dump the results of each run to a folder."""


class LocalCLIDebugWrapperSession(_Absent):
    """Would stop at each run, for commands of the terminal."""


class TensorBoardDebugWrapperSession(_Absent):
    """Would show runs in TensorBoard."""


class DumpingDebugHook(_Absent):
    """Would do as `DumpingDebugWrapperSession`, in a monitored session."""


class LocalCLIDebugHook(_Absent):
    """Would do as `LocalCLIDebugWrapperSession`, in a monitored session."""


class TensorBoardDebugHook(_Absent):
    """Would do as `TensorBoardDebugWrapperSession`, in a monitored session."""


def has_inf_or_nan(datum: Any, tensor: Any) -> bool:
    """True if an array holds infinities or NaN; a filter for debuggers."""
    array = np.asarray(tensor)
    return array.dtype.kind in "fc" and not bool(np.isfinite(array).all())
