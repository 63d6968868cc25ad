"""`tensorflow.python.eager.context` and `tensorflow.python.tf2`: graph mode only."""

from __future__ import annotations

from contextlib import nullcontext


def executing_eagerly() -> bool:
    """False."""
    return False


def in_eager_mode() -> bool:
    """Returns False; the first name of `executing_eagerly`."""
    return False


def in_graph_mode() -> bool:
    """True."""
    return True


def graph_mode() -> nullcontext[None]:
    """A context that changes nothing."""
    return nullcontext()


def num_gpus() -> int:
    """0."""
    return 0


def enabled() -> bool:
    """True if functions behave as in TensorFlow 2: never."""
    return False
