"""Devices of `tensorflow.python.client.device_lib`: only the CPU."""

from __future__ import annotations

from typing import NamedTuple


class DeviceAttributes(NamedTuple):
    """Description of a device by `list_local_devices`, with the fields of TensorFlow's message."""

    name: str = "/device:CPU:0"
    device_type: str = "CPU"
    memory_limit: int = 1 << 28
    incarnation: int = 1
    physical_device_desc: str = ""


def list_local_devices(session_config: object = None) -> list[DeviceAttributes]:
    """The devices of this machine: the CPU.

    Args:
        session_config: taken for compatibility.
    """
    return [DeviceAttributes()]
