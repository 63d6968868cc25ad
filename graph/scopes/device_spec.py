"""Devices by their parts, and functions that merge them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from .device import device_string, device_type as full_type, merge_devices, parse_device


class Placed(Protocol):
    """What has a device: an operation."""

    @property
    def device(self) -> str:
        """The device string."""


public = {"td": "DeviceSpec merge_device"}


class DeviceSpec:
    """A device by its parts, which may be set; those that are None are left open.

    Args:
        job: the name of the job.
        replica: the number of the replica.
        task: the number of the task.
        device_type: the type, such as "CPU".
        device_index: its number.

    Example:
        >>> td.DeviceSpec(job="worker", task=1, device_type="gpu", device_index=0).to_string()
        '/job:worker/task:1/device:GPU:0'
    """

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        self.job = job
        self.replica = replica
        self.task = task
        self.device_type = device_type
        self.device_index = device_index

    def __setattr__(self, name: str, part: Any) -> None:
        read = _READ.get(name)
        super().__setattr__(name, part if part is None or read is None else read(part))

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """The device that a string such as "/job:ps/device:CPU:0" describes.

        Raises:
            ValueError: the string is malformed.
        """
        parts: dict[str, Any] = dict(parse_device(spec))
        return cls(**parts)

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """Takes over all parts from a string, and returns itself."""
        vars(self).update(vars(type(self).from_string(spec)))
        return self

    def merge_from(self, dev: DeviceSpec) -> None:
        """Takes over the parts that `dev` does not leave open."""
        vars(self).update({name: part for name, part in vars(dev).items() if part is not None})

    def to_string(self) -> str:
        """The device as a string."""
        return device_string(
            {name: str(part) for name, part in vars(self).items() if part is not None}
        )

    def __str__(self) -> str:
        return self.to_string()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(self.to_string())


# What the parts are kept as.
_READ: dict[str, Callable[[Any], Any]] = {
    "replica": int,
    "task": int,
    "device_type": full_type,
    "device_index": int,
}


def full_device(device: Any) -> str:
    """A device, given as a string, a DeviceSpec or None for an open one, as a string in full.

    Raises:
        TypeError: it is something else.
        ValueError: the string is malformed.
    """
    if device is None:
        return ""
    if isinstance(device, DeviceSpec):
        return device.to_string()
    if not isinstance(device, str):
        raise TypeError(f"a device is a string or a td.DeviceSpec, got {device!r}")
    return device_string(parse_device(device))


def merge_device(spec: str | DeviceSpec | None) -> Callable[[Placed], str]:
    """A function for `td.device` that fills in what ops leave open.

    Args:
        spec: the device, as a string or a DeviceSpec; None for one that is open.

    Raises:
        ValueError: the string is malformed.

    Example:
        >>> with td.Graph().as_default(), td.device("/gpu:0"):
        ...     with td.device(td.merge_device("/job:worker/cpu:0")):
        ...         td.constant(1).op.device
        '/job:worker/device:CPU:0'
    """
    text = full_device(spec)

    def merged(op: Placed) -> str:
        return merge_devices(text, op.device)

    return merged
