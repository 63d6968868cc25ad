"""Classes and functions of users, by the names used in configs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ...training.layers.activations import custom_objects

public = {
    "td.keras.utils": (
        "custom_object_scope CustomObjectScope=custom_object_scope get_custom_objects"
    ),
}


def get_custom_objects() -> dict[str, Any]:
    """Global dict of custom classes and functions by name; may be changed.

    Example:
        >>> td.keras.utils.get_custom_objects()["twice"] = lambda x: 2 * x
        >>> td.keras.activations.get("twice")(4)
        8
        >>> td.keras.utils.get_custom_objects().clear()
    """
    return custom_objects


@contextmanager
def custom_object_scope(*args: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Context manager within which names refer to custom classes and functions.

    Args:
        args: dicts of them by name.

    Example:
        >>> with td.keras.utils.custom_object_scope({"twice": lambda x: 2 * x}):
        ...     td.keras.activations.get("twice")(4)
        8
    """
    before = dict(custom_objects)
    for objects in args:
        custom_objects.update(objects)
    try:
        yield custom_objects
    finally:
        custom_objects.clear()
        custom_objects.update(before)
