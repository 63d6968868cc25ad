"""Keras's `get`: activations, initializers, regularizers and constraints by name."""

from __future__ import annotations

from typing import Any

from ...training.layers.activations import linear, resolve_function

public = {
    "td.keras.activations": "get=get_activation",
    "td.keras.constraints": "get=get_constraint",
    "td.keras.initializers": "get=get_initializer",
    "td.keras.regularizers": "get=get_regularizer",
}


def get_activation(identifier: Any) -> Any:
    """The function with a name such as "relu"; other arguments are returned unchanged.

    Args:
        identifier: a word, a function, or None for the input as it is.

    Raises:
        ValueError: unknown name.

    Example:
        >>> td.keras.activations.get("tanh").__name__, td.keras.activations.get(None)(3)
        ('tanh', 3)
    """
    return linear if identifier is None else resolve_function("activation", identifier)


def get_initializer(identifier: Any) -> Any:
    """The initializer with a name such as "glorot_uniform"; other arguments are returned unchanged.

    Args:
        identifier: a word, an initializer, or None.

    Raises:
        ValueError: unknown name.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.initializers.get("ones")([2])))
        [1. 1.]
    """
    return resolve_function("initializer", identifier)


def get_regularizer(identifier: Any) -> Any:
    """The regularizer with a name such as "l2"; other arguments are returned unchanged.

    Args:
        identifier: a word, a regularizer, or None.

    Raises:
        ValueError: unknown name.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.regularizers.get("l2")([10.0])))
        1.0
    """
    return resolve_function("regularizer", identifier)


def get_constraint(identifier: Any) -> Any:
    """The constraint with a name such as "non_neg"; other arguments are returned unchanged.

    Args:
        identifier: a word, a constraint, or None.

    Raises:
        ValueError: unknown name.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.constraints.get("non_neg")([-1.0, 2.0])))
        [0. 2.]
    """
    return resolve_function("constraint", identifier)
