"""There is only graph mode: the functions by which programs for TensorFlow make sure of it."""

from __future__ import annotations

public = {"td": "disable_eager_execution disable_v2_behavior executing_eagerly"}


def executing_eagerly() -> bool:
    """Whether ops run when they are called: never.

    Example:
        >>> import tensordraft as td
        >>> td.executing_eagerly()
        False
    """
    return False


def disable_eager_execution() -> None:
    """Does nothing: ops are always added to a graph. For programs that also run under TensorFlow 2.

    Example:
        >>> import tensordraft as td
        >>> td.disable_eager_execution()
        >>> td.executing_eagerly()
        False
    """


def disable_v2_behavior() -> None:
    """Does nothing: all behaviour is that of TensorFlow 1. See `disable_eager_execution`.

    Example:
        >>> import tensordraft as td
        >>> td.disable_v2_behavior()
        >>> with td.Graph().as_default():
        ...     td.Variable(1).op.type
        'VariableV2'
    """
