"""Settings of the library: limits, acceleration, tracebacks; and its device."""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import NamedTuple

public = {"td": "config"}


class PhysicalDevice(NamedTuple):
    """A device, as `td.config.list_physical_devices` lists it.

    Args:
        name: what it is called.
        device_type: its kind.
    """

    name: str
    device_type: str


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")


class Config:
    """Settings of the library, as attributes of `td.config`.

    Attributes:
        max_tensor_bytes: the largest tensor, in bytes, that a kernel or a file may make: 16 GiB.
            A larger one is refused before any memory is asked for.
        max_graph_nodes: the most nodes that a file may have, after inlining of
            function calls: 5 million.
        max_graph_tensors: the most tensors that the ops of a file may put out: 20 million.
        max_op_tensors: the most tensors in one argument of an op: a million.
        max_nesting: how deep calls of functions in a file may be nested: 100.
        accelerator: whether plans may use loops that numba has compiled, where it is installed:
            True, unless the environment variable TENSORDRAFT_ACCELERATOR is "off".
        full_tracebacks: whether tracebacks show the lines inside of tensordraft, too, and what an
            error was made of; by default they end at the call of the program.

    Example:
        >>> td.config.max_tensor_bytes == 16 * 2**30
        True
    """

    def __init__(self) -> None:
        self.max_tensor_bytes = 16 * 2**30
        self.max_graph_nodes = 5_000_000
        self.max_graph_tensors = 20_000_000
        self.max_op_tensors = 1_000_000
        self.max_nesting = 100
        self.accelerator = os.environ.get("TENSORDRAFT_ACCELERATOR") != "off"
        self.full_tracebacks = False

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _SETTINGS:
            alike = get_close_matches(name, _SETTINGS, n=1)
            asked = f": did you mean {alike[0]!r}?" if alike else f", there are {[*_SETTINGS]}"
            raise AttributeError(f"td.config has no setting {name!r}{asked}", name=name, obj=None)
        super().__setattr__(name, value)

    @property
    def experimental(self) -> Config:
        """The same, where older programs look for devices."""
        return self

    def list_physical_devices(self, device_type: str | None = None) -> list[PhysicalDevice]:
        """The devices there are: the CPU.

        Args:
            device_type: of which kind; by default of all.

        Example:
            >>> td.config.list_physical_devices("GPU")
            []
        """
        return [_CPU] if device_type in (None, _CPU.device_type) else []

    get_visible_devices = list_physical_devices

    def set_visible_devices(
        self, devices: PhysicalDevice | list[PhysicalDevice], device_type: str | None = None
    ) -> None:
        """Accepts the choice of devices, of which there is one.

        Args:
            devices: one, a list of them, or an empty list.
            device_type: of which kind.

        Raises:
            ValueError: one of them is not there, or none is to be left.
        """
        chosen = [devices] if isinstance(devices, PhysicalDevice) else devices
        if any(device != _CPU for device in chosen):
            raise ValueError(f"devices must be among {[_CPU]}, got {chosen}")
        if not chosen and device_type != "GPU":
            raise ValueError("the CPU cannot be hidden: it is the only device")

    def set_memory_growth(self, device: PhysicalDevice, enable: bool) -> None:
        """Accepts how GPUs take memory, for programs that also run on them.

        Args:
            device: a device.
            enable: whether it takes memory as it needs it.
        """


_SETTINGS = (
    "accelerator",
    "full_tracebacks",
    "max_graph_nodes",
    "max_graph_tensors",
    "max_nesting",
    "max_op_tensors",
    "max_tensor_bytes",
)
config = Config()
