"""Device strings: read, merged and written; tensordraft keeps them and does not act on them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .node import Operation

_PARTS = ("job", "replica", "task", "device")
_FIELD = re.compile(r"(job|replica|task|device):([^/]+)|(cpu|gpu):(\d+|\*)", re.IGNORECASE)

DeviceFunction = Callable[["Operation"], Any]


def parse_device(text: str) -> dict[str, str]:
    """The parts of a device string, each in its full form.

    Raises:
        ValueError: the string is malformed.
    """
    parts = {}
    for field in text.split("/"):
        if not field:
            continue
        match = _FIELD.fullmatch(field)
        if match is None:
            raise ValueError(
                f"cannot read {field!r} in the device string {text!r}; a device is written like "
                "'/job:worker/replica:0/task:1/device:CPU:0' or '/cpu:0'"
            )
        if match[1]:
            key, value = match[1].lower(), match[2]
            parts[key] = value.upper() if key == "device" else value
        else:
            parts["device"] = f"{match[3].upper()}:{match[4]}"
    return parts


def device_string(parts: dict[str, str]) -> str:
    """The device string of `parts`, in the usual order."""
    return "".join(f"/{key}:{parts[key]}" for key in _PARTS if key in parts)


def merge_devices(outer: str, inner: str) -> str:
    """`inner` with what it leaves open taken from `outer`."""
    return device_string({**parse_device(outer), **parse_device(inner)})
