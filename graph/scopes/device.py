"""Device strings: read, merged and written; tensordraft keeps them and does not act on them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..node import Operation

# What each part may be, whatever the case of its letters.
_PARTS = {
    "job": r"[a-z]\w*|\*",
    "replica": r"\d+",
    "task": r"\d+",
    "device": r"(?:[a-z]\w*|\*):(?:\d+|\*)",
}

DeviceFunction = Callable[["Operation"], Any]


def parse_device(text: str) -> dict[str, str]:
    """The parts of a device string, each in its full form.

    Raises:
        ValueError: the string is malformed.
    """
    parts: dict[str, str] = {}
    for field in text.split("/"):
        if not field:
            continue
        key, _, value = field.partition(":")
        key = key.lower()
        if key in ("cpu", "gpu"):
            key, value = "device", field
        if not re.fullmatch(_PARTS.get(key, r"(?!)"), value, re.IGNORECASE | re.ASCII):
            raise ValueError(
                f"cannot read {field!r} in the device string {text!r}; a device is written like "
                "'/job:worker/replica:0/task:1/device:CPU:0' or '/cpu:0'"
            )
        if key in parts:
            raise ValueError(f"the device string {text!r} has more than one {key}")
        parts[key] = value.upper() if key == "device" else value
    return parts


def device_string(parts: dict[str, str]) -> str:
    """The device string of `parts`, in the usual order."""
    return "".join(f"/{key}:{parts[key]}" for key in _PARTS if key in parts)


def merge_devices(outer: str, inner: str) -> str:
    """`inner` with what it leaves open taken from `outer`."""
    return device_string({**parse_device(outer), **parse_device(inner)})
