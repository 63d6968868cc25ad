"""Named strategies: each runs one replica on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .strategies import Strategy

public = {
    "td.distribute": (
        "CrossDeviceOps HierarchicalCopyAllReduce MirroredStrategy NcclAllReduce OneDeviceStrategy "
        "ReductionToOneDevice"
    ),
    "td.distribute.experimental": (
        "CentralStorageStrategy MultiWorkerMirroredStrategy ParameterServerStrategy"
    ),
    "td.contrib.distribute": (
        "AllReduceCrossDeviceOps CollectiveAllReduceStrategy MirroredStrategy OneDeviceStrategy "
        "ParameterServerStrategy ReductionToOneDeviceCrossDeviceOps"
    ),
}


class CrossDeviceOps:
    """Communication between devices; accepted so that multi-device programs run.

    Args:
        settings: whatever the kinds of TensorFlow take.

    Example:
        >>> strategy = td.distribute.MirroredStrategy(
        ...     cross_device_ops=td.distribute.HierarchicalCopyAllReduce(num_packs=2)
        ... )
        >>> strategy.num_replicas_in_sync
        1
    """

    def __init__(self, *settings: Any, **named_settings: Any) -> None:
        del settings, named_settings


HierarchicalCopyAllReduce = NcclAllReduce = ReductionToOneDevice = CrossDeviceOps
AllReduceCrossDeviceOps = ReductionToOneDeviceCrossDeviceOps = CrossDeviceOps


class MirroredStrategy(Strategy):
    """MirroredStrategy with one replica instead of one per GPU.

    Args:
        devices: the devices of the replicas; there is one on the CPU, whatever is named.
        cross_device_ops: accepted for TensorFlow's sake.
        settings: those of `contrib`, such as `num_gpus`: likewise.

    Example:
        >>> td.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"]).num_replicas_in_sync
        1
    """

    def __init__(
        self,
        devices: Sequence[str] | None = None,
        cross_device_ops: CrossDeviceOps | None = None,
        **settings: Any,
    ) -> None:
        super().__init__()


class OneDeviceStrategy(Strategy):
    """Training on one device, which is the CPU.

    Args:
        device: the name of the device, accepted as it is.
        settings: those of `contrib`.

    Example:
        >>> with td.distribute.OneDeviceStrategy("/cpu:0").scope():
        ...     td.distribute.has_strategy()
        True
    """

    def __init__(self, device: str, **settings: Any) -> None:
        super().__init__()


class ParameterServerStrategy(Strategy):
    """ParameterServerStrategy in a single process.

    Args:
        settings: whatever TensorFlow takes.

    Example:
        >>> td.distribute.experimental.ParameterServerStrategy().num_replicas_in_sync
        1
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__()


CentralStorageStrategy = MultiWorkerMirroredStrategy = ParameterServerStrategy
CollectiveAllReduceStrategy = ParameterServerStrategy
