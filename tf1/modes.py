"""There is only graph mode of 1.x: the functions by which programs for TensorFlow make sure."""

from __future__ import annotations

public = {
    "td": (
        "control_flow_v2_enabled disable_control_flow_v2 disable_eager_execution "
        "disable_tensor_equality disable_v2_behavior disable_v2_tensorshape executing_eagerly "
        "executing_eagerly_outside_functions"
    ),
}


def executing_eagerly() -> bool:
    """True if ops run when they are called: never.

    Example:
        >>> td.executing_eagerly()
        False
    """
    return False


def executing_eagerly_outside_functions() -> bool:
    """True if ops run when they are called outside of functions: never.

    Example:
        >>> td.executing_eagerly_outside_functions()
        False
    """
    return False


def control_flow_v2_enabled() -> bool:
    """True if conditionals and loops behave as in TensorFlow 2: they behave as in 1.x.

    Example:
        >>> td.control_flow_v2_enabled()
        False
    """
    return False


def disable_eager_execution() -> None:
    """Does nothing: ops are always added to a graph. For programs that also run under TensorFlow 2.

    Example:
        >>> td.disable_eager_execution()
        >>> td.executing_eagerly()
        False
    """


def disable_v2_behavior() -> None:
    """Does nothing: all behaviour is that of TensorFlow 1. See `disable_eager_execution`.

    Example:
        >>> td.disable_v2_behavior()
        >>> with td.Graph().as_default():
        ...     td.Variable(1).op.type
        'VariableV2'
    """


def disable_control_flow_v2() -> None:
    """Does nothing: conditionals and loops behave as in TensorFlow 1.

    Example:
        >>> td.disable_control_flow_v2()
        >>> td.control_flow_v2_enabled()
        False
    """


def disable_tensor_equality() -> None:
    """Does nothing: `==` between tensors asks whether they are one tensor, as in TensorFlow 1.

    Example:
        >>> td.disable_tensor_equality()
        >>> with td.Graph().as_default():
        ...     td.constant(1) == td.constant(1)
        False
    """


def disable_v2_tensorshape() -> None:
    """Does nothing: the elements of a TensorShape are Dimensions, as in TensorFlow 1.

    Example:
        >>> td.disable_v2_tensorshape()
        >>> td.TensorShape([2, 3])[0].value
        2
    """
