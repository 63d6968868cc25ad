"""Synchronization and aggregation of variable copies: stored only, as there is one device."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from ...protos.messages import VariableDef

if TYPE_CHECKING:
    Mode = TypeVar("Mode", bound=Enum)

public = {"td": "VariableAggregation VariableSynchronization"}


class VariableSynchronization(Enum):
    """When copies of a variable are synchronized: stored only, as there is one device.

    Example:
        >>> with td.Graph().as_default():
        ...     v = td.get_variable("v", [2], synchronization=td.VariableSynchronization.ON_READ)
        ...     v.synchronization, v.trainable
        (<VariableSynchronization.ON_READ: 3>, False)
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(Enum):
    """Aggregation of updates of several copies of a variable: stored only.

    Example:
        >>> with td.Graph().as_default():
        ...     td.get_variable("v", [2], aggregation=td.VariableAggregation.MEAN).aggregation
        <VariableAggregation.MEAN: 2>
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


def sharing(
    synchronization: Any, aggregation: Any, trainable: bool | None, name: str | None
) -> tuple[VariableSynchronization, VariableAggregation, bool]:
    """Settings for the copies of a variable, and whether it is trainable.

    Raises:
        ValueError: one of the first two is not such a mode.
    """
    synchronization = _mode(VariableSynchronization, synchronization, name)
    aggregation = _mode(VariableAggregation, aggregation, name)
    if trainable is None:
        trainable = synchronization is not VariableSynchronization.ON_READ
    return synchronization, aggregation, bool(trainable)


def _mode(kind: type[Mode], value: Any, name: str | None) -> Mode:
    if value is None:
        return kind(0)
    if not isinstance(value, kind):
        what = kind.__name__.removeprefix("Variable").lower()
        raise ValueError(
            f"Invalid variable {what} mode: {value!r} for variable: {name}; it must be one of "
            f"{[str(mode) for mode in kind]}"
        )
    return value


class Shared:
    """Mixin with the settings for the copies of a variable."""

    __slots__ = ()

    _sharing: tuple[VariableSynchronization, VariableAggregation]

    @property
    def synchronization(self) -> VariableSynchronization:
        """When copies on several devices would be brought together."""
        return self._sharing[0]

    @property
    def aggregation(self) -> VariableAggregation:
        """Aggregation of updates of several copies."""
        return self._sharing[1]

    def _take_sharing(self, variable_def: VariableDef) -> None:
        synchronization = VariableSynchronization(variable_def.synchronization)
        aggregation = VariableAggregation(variable_def.aggregation)
        self._sharing = synchronization, aggregation  # type: ignore[misc] # a slot of Variable
