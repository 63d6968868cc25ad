"""What TensorFlow has and tensordraft has not: names that programs ask for, and what to do."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_TRAINING = "it is not supported yet; td.train has optimizers, which td.Session runs"
_INPUT = "read and batch what is fed in Python, and feed it to a placeholder"
_LOOPS = "it is not supported; td.nn.dynamic_rnn and td.while_loop are"

_REASONS = {
    "FIFOQueue": _INPUT,
    "FixedLenFeature": _INPUT,
    "GradientTape": _TRAINING,
    "RandomShuffleQueue": _INPUT,
    "Server": "sessions run in this process, and there only",
    "Supervisor": _TRAINING,
    "TFRecordReader": _INPUT,
    "TextLineReader": _INPUT,
    "batch": _INPUT,
    "data": _INPUT,
    "enable_eager_execution": "there is only graph mode",
    "estimator": _TRAINING,
    "keras": "load a model that Keras has saved as a frozen graph with td.load_graph",
    "parse_example": _INPUT,
    "parse_single_example": _INPUT,
    "raw_rnn": _LOOPS,
    "shuffle_batch": _INPUT,
    "slim": "td.contrib holds what programs use most; td.layers has layers",
    "start_queue_runners": _INPUT,
    "string_input_producer": _INPUT,
}


def missing(module: str, name: str, known: Sequence[str] = ()) -> AttributeError:
    """The error for a name that a module does not have.

    Args:
        module: the module.
        name: the name.
        known: the names that it has.

    Returns:
        An AttributeError, which says what to do instead where that is known, and else which names
        are like the one that was asked for.
    """
    reason = _REASONS.get(name)
    if reason is None and (alike := get_close_matches(name, known, n=1)):
        reason = f"did you mean {alike[0]!r}?"
    told = f"module {module!r} has no attribute {name!r}"
    return AttributeError(f"{told}: {reason}" if reason else told)
