"""`td.keras.losses.get`: loss functions and classes by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...training.layers.activations import custom_objects, made_of
from . import loss_functions as functions
from .loss_classes import LossOfFunction

public = {"td.keras.losses": "get"}

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(functions, entry.partition("=")[2] or name)
        for names in functions.public.values()
        for entry in names.split()
        if (name := entry.partition("=")[0])
    },
    "cosine": functions.cosine_proximity,
}


def get(identifier: Any) -> Any:
    """Looks up a loss by name.

    Args:
        identifier: the name; a function, a Loss or None is returned unchanged.

    Raises:
        ValueError: unknown name.

    Example:
        >>> td.keras.losses.get("mse") is td.keras.losses.get("mean_squared_error")
        True
    """
    if identifier is None or callable(identifier):
        return identifier
    losses = {**_FUNCTIONS, **custom_objects}
    if isinstance(identifier, dict) and {*identifier} >= {"class_name", "config"}:
        config = dict(identifier["config"] or {})
        if "fn" in config:  # a function that TensorFlow wrapped in an object
            return get(config["fn"])
        classes = {cls.__name__: cls for cls in LossOfFunction.__subclasses__()}
        name, losses = identifier["class_name"], {**classes, **custom_objects}
        if name in losses:
            return made_of(losses[name], config)
        identifier = name
    if identifier not in losses:
        raise ValueError(
            f"unknown loss {identifier!r}; expected one of {sorted(losses)}, or custom_objects for "
            "your own"
        )
    return losses[identifier]
