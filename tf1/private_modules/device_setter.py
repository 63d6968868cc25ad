"""`tensorflow.python.training.device_setter`: how variables are dealt out to servers."""

from __future__ import annotations

from ...training.coordination.cluster import Turns as _RoundRobinStrategy, replica_device_setter

__all__ = ["_RoundRobinStrategy", "replica_device_setter"]
