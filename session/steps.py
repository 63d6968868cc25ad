"""Running one step of a plan, and telling what failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import errors
from ..graph.describe import run_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .plan import Step


def run_step(step: Step, values: list[Any]) -> None:
    """Runs a step on the values in the slots, and puts its results there.

    Raises:
        OpError: the kernel failed.
    """
    _, kernel, inputs, outputs, _ = step
    try:
        result = kernel(*[values[slot] for slot in inputs])
        if len(outputs) == 1:
            values[outputs[0]] = result
        else:
            for slot, item in zip(outputs, result or (), strict=True):
                values[slot] = item
    except Exception as error:
        raise told(error, step, [values[slot] for slot in inputs]) from error


def told(error: Exception, step: Step, arrays: Sequence[Any]) -> errors.OpError:
    """The error with the op that failed; a fused step has told it already."""
    if isinstance(error, errors.OpError) and error.op is not None:
        return error
    return run_error(error, step.op, arrays)
