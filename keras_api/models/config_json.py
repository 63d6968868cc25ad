"""Configs as JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ...protos.dtypes import DType

KERAS_VERSION = "2.2.4-tf"
"""Keras version of TensorFlow 1.15, which readers check."""


def json_of(config: Any, **options: Any) -> str:
    """The JSON of a config.

    Args:
        config: numbers, words, lists and dicts, and functions that have names.
        options: arguments of `json.dumps`.

    Raises:
        ValueError: there is something else in it.
    """
    return json.dumps(config, default=_encoded, **options)


def _encoded(value: Any) -> Any:
    """JSON representation of a value that JSON does not support.

    Raises:
        ValueError: there is nothing.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, DType):
        return value.name
    name = getattr(value, "__name__", None)
    if name is None or not callable(value):
        raise ValueError(f"cannot store {value!r}: expected numbers, strings, lists or dicts")
    if name == "<lambda>":
        raise ValueError(
            f"a file stores functions by name, and {value!r} has none: define it by def, and "
            "give custom_objects where the file is read"
        )
    return name
