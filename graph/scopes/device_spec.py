"""Devices by their parts, and functions that merge them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .device import device_string, merge_devices, parse_device

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..node import Operation


class DeviceSpec:
    """A device by its parts; those that are None are left open.

    Args:
        job: the name of the job.
        replica: the number of the replica.
        task: the number of the task.
        device_type: the type, such as "CPU".
        device_index: its number.

    Example:
        >>> import tensordraft as td
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
        self.device_type = device_type.upper() if device_type else None
        self.device_index = device_index

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """The device that a string such as "/job:ps/device:CPU:0" describes.

        Raises:
            ValueError: the string is malformed.
        """
        parts = parse_device(spec)
        kind, _, index = parts.get("device", "").partition(":")
        return cls(
            parts.get("job"),
            _number(parts.get("replica")),
            _number(parts.get("task")),
            kind or None,
            _number(index or None),
        )

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """Takes over all parts from a string, and returns itself."""
        vars(self).update(vars(type(self).from_string(spec)))
        return self

    def merge_from(self, dev: DeviceSpec) -> None:
        """Takes over the parts that `dev` does not leave open."""
        vars(self).update({name: part for name, part in vars(dev).items() if part is not None})

    def to_string(self) -> str:
        """The device as a string."""
        parts: dict[str, Any] = {"job": self.job, "replica": self.replica, "task": self.task}
        if self.device_type is not None:
            index = "*" if self.device_index is None else self.device_index
            parts["device"] = f"{self.device_type}:{index}"
        return device_string({name: str(part) for name, part in parts.items() if part is not None})

    def __str__(self) -> str:
        return self.to_string()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(self.to_string())


def _number(text: str | None) -> int | None:
    return None if text in (None, "*") else int(text or 0)


def merge_device(spec: str | DeviceSpec) -> Callable[[Operation], str]:
    """A function for `td.device` that fills in what ops leave open.

    Args:
        spec: the device, as a string or a DeviceSpec.

    Raises:
        ValueError: the string is malformed.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.device("/gpu:0"):
        ...     with td.device(td.merge_device("/job:worker/cpu:0")):
        ...         td.constant(1).op.device
        '/job:worker/device:CPU:0'
    """
    text = spec.to_string() if isinstance(spec, DeviceSpec) else device_string(parse_device(spec))

    def merged(op: Operation) -> str:
        return merge_devices(text, op.device)

    return merged
