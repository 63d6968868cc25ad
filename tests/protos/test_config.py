"""The settings of the library, and the device that programs ask for."""

from __future__ import annotations

import pytest

import tensordraft as td


def test_settings_that_are_none_are_refused() -> None:
    with pytest.raises(AttributeError, match="did you mean 'max_tensor_bytes'"):
        td.config.max_tensor_byte = 3
    with pytest.raises(AttributeError, match=r"there are .*'accelerator'"):
        td.config.x = 3


def test_there_is_one_device() -> None:
    [cpu] = td.config.experimental.list_physical_devices()
    assert cpu.device_type == "CPU"
    assert td.config.list_physical_devices("GPU") == []
    assert td.config.get_visible_devices("CPU") == [cpu]
    td.config.set_visible_devices([], "GPU")
    td.config.set_visible_devices(cpu, "CPU")
    td.config.experimental.set_memory_growth(cpu, True)
    with pytest.raises(ValueError, match="the CPU cannot be hidden"):
        td.config.set_visible_devices([], "CPU")
    with pytest.raises(ValueError, match="must be among"):
        td.config.set_visible_devices([cpu._replace(name="/physical_device:GPU:0")])
