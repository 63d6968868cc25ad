"""Configs as JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ...protos.dtypes import DType

KERAS_VERSION = "2.2.4-tf"
"""What TensorFlow 1.15 says of itself: readers go by it."""


def json_of(config: Any, **options: Any) -> str:
    """The JSON of a config.

    Args:
        config: numbers, words, lists and dicts, and functions that have names.
        options: arguments of `json.dumps`.

    Raises:
        ValueError: there is something else in it.
    """
    return json.dumps(config, default=_told, **options)


def _told(value: Any) -> Any:
    """What JSON has for a value that it cannot tell itself.

    Raises:
        ValueError: there is nothing.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, DType):
        return value.name
    name = getattr(value, "__name__", None)
    if name is None or not callable(value):
        raise ValueError(f"a file cannot tell {value!r}: give numbers, words, lists or dicts")
    if name == "<lambda>":
        raise ValueError(
            f"a file tells a function by its name, and {value!r} has none: define it by def, and "
            "give custom_objects where the file is read"
        )
    return name
