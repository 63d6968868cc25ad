"""Names of `tensorflow.python.eager.def_function` and `eager.function`."""

from __future__ import annotations

from ...ops.control_flow.function import function

__all__ = ["function"]

defun = function
