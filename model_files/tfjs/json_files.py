"""The JSON of a TensorFlow.js model, read without trust in what it says."""

from __future__ import annotations

import json
import os
from io import BufferedIOBase
from typing import Any, NoReturn

from ...runtime import errors
from ...runtime.load_budget import take


def damaged(path: str, what: str) -> NoReturn:
    """Reports what is wrong with a file.

    Raises:
        DataLossError: always.
    """
    raise errors.DataLossError(None, None, f"{path} is not a valid TensorFlow.js model: {what}")


def read_json(file: BufferedIOBase, path: str) -> dict[str, Any]:
    """The dict that a file holds as JSON.

    Args:
        file: the file.
        path: its name, for errors.

    Raises:
        DataLossError: it holds something else.
        ResourceExhaustedError: it takes more than the budget allows.
    """
    size = file.seek(0, os.SEEK_END)
    take(size, f"the file {path!r}")
    file.seek(0)
    try:
        value = json.loads(file.read().decode("utf-8-sig"))
    except RecursionError:
        damaged(path, "its JSON is nested too deep")
    except ValueError as error:
        damaged(path, f"it is not JSON, or is cut off: {error}")
    if not isinstance(value, dict):
        damaged(path, f"it must hold an object, got {shown(value)}")
    return value


def shown(value: Any) -> str:
    """A JSON value as errors show it: short, however large it is."""
    if isinstance(value, (dict, list)):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def member(value: dict[str, Any], key: str, kind: type, what: str, path: str) -> Any:
    """A member of an object that must be of one kind; its empty value where it is absent or null.

    Args:
        value: the object.
        key: the name of the member.
        kind: `dict`, `list` or `str`.
        what: what the object is, for errors.
        path: the file, for errors.

    Raises:
        DataLossError: it is of another kind.
    """
    found = value.get(key)
    if found is None:
        return kind()
    if not isinstance(found, kind):
        names: dict[type, str] = {dict: "an object", list: "a list", str: "a string"}
        damaged(path, f"{key} of {what} must be {names[kind]}, got {shown(found)}")
    return found


def objects(items: list[Any], what: str, path: str) -> list[dict[str, Any]]:
    """The items of a list, each of which must be an object.

    Args:
        items: the list.
        what: what an item is, for errors.
        path: the file, for errors.

    Raises:
        DataLossError: one is something else.
    """
    for item in items:
        if not isinstance(item, dict):
            damaged(path, f"{what} must be an object, got {shown(item)}")
    return items
