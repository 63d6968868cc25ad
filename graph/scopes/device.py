"""Device strings: read, merged and written.

A session keeps them and does not act on them; one of a cluster runs what it runs in chunks where
they say.
"""

from __future__ import annotations

import re
from functools import lru_cache

# What each field may hold, whatever the case of its letters.
_FIELDS = {
    "job": r"[a-z][\w-]*|\*",
    "replica": r"\d+",
    "task": r"\d+",
    "device": r"[a-z]\w*:(?:\d+|\*)",
}
_SHORT = ("cpu", "gpu", "tpu")


def parse_device(text: str) -> dict[str, str]:
    """The parts of a device string: job, replica, task, device_type, device_index.

    What the string leaves open, with `*` for an index or by not naming it, is not among them.

    Raises:
        ValueError: the string is malformed.
    """
    parts: dict[str, str] = {}
    for field in text.split("/"):
        if not field:
            continue
        key, _, value = field.partition(":")
        key = key.lower()
        if key in _SHORT:
            key, value = "device", f"{key}:{value or '*'}"
        if key not in _FIELDS:
            raise ValueError(f"Unknown attribute {key!r} in the device string {text!r}; {_EXAMPLE}")
        if not re.fullmatch(_FIELDS[key], value, re.IGNORECASE | re.ASCII):
            raise ValueError(f"cannot read {field!r} in the device string {text!r}; {_EXAMPLE}")
        if key in parts or (key == "device" and "device_type" in parts):
            what = "device types" if key == "device" else f"{key}s"
            raise ValueError(f"Cannot specify multiple {what} in the device string {text!r}")
        if key == "device":
            parts["device_type"], _, index = value.partition(":")
            parts["device_type"] = device_type(parts["device_type"])
            if index != "*":
                parts["device_index"] = index
        else:
            parts[key] = value
    return parts


_EXAMPLE = "a device is written like '/job:worker/replica:0/task:1/device:CPU:0' or '/cpu:0'"


def device_type(name: str) -> str:
    """The name of a type of devices: those that TensorFlow has are in capitals."""
    return name.upper() if name.lower() in _SHORT else name


def device_string(parts: dict[str, str]) -> str:
    """The device string of `parts`, in the usual order."""
    text = "".join([f"/{key}:{parts[key]}" for key in ("job", "replica", "task") if key in parts])
    if "device_type" in parts:
        text += f"/device:{parts['device_type']}:{parts.get('device_index', '*')}"
    return text


@lru_cache(maxsize=1024)
def merge_devices(outer: str, inner: str) -> str:
    """`inner` with what it leaves open taken from `outer`, part by part as TensorFlow does.

    The type of a device and its index are parts of their own: `/gpu:*` inside of `/gpu:7` is
    `/device:GPU:7`.

    Raises:
        ValueError: a string is malformed.
    """
    return device_string({**parse_device(outer), **parse_device(inner)})
