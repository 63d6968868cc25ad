"""`td.keras.losses.get`: loss functions and classes by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...training.layers.named_functions import custom_objects, made_of
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
    """The loss that a word stands for.

    Args:
        identifier: the word; a function or a Loss stays as it is, and None.

    Raises:
        ValueError: the word stands for none.

    Example:
        >>> td.keras.losses.get("mse") is td.keras.losses.get("mean_squared_error")
        True
    """
    if identifier is None or callable(identifier):
        return identifier
    known = {**_FUNCTIONS, **custom_objects}
    if isinstance(identifier, dict) and {*identifier} >= {"class_name", "config"}:
        config = dict(identifier["config"] or {})
        if "fn" in config:  # a function that TensorFlow has made an object of
            return get(config["fn"])
        classes = {cls.__name__: cls for cls in LossOfFunction.__subclasses__()}
        name, known = identifier["class_name"], {**classes, **custom_objects}
        if name in known:
            return made_of(known[name], config)
        identifier = name
    if identifier not in known:
        raise ValueError(
            f"loss {identifier!r} is none of {sorted(known)}: give custom_objects for one of "
            "your own"
        )
    return known[identifier]
