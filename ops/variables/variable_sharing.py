"""How copies of a variable on several devices would be held together; here there is one."""

from __future__ import annotations

public = {"td": "VariableAggregation VariableSynchronization"}


class VariableSynchronization:
    """When copies of a variable are brought together: accepted, as there is one device.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.get_variable(
        ...         "v", [2], synchronization=td.VariableSynchronization.AUTO
        ...     ).shape.as_list()
        [2]
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation:
    """What updates of several copies of a variable add up to: accepted, as there is one device.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.get_variable("v", [2], aggregation=td.VariableAggregation.MEAN).shape.as_list()
        [2]
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
