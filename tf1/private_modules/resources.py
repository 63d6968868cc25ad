"""`tensorflow.python.ops.resources`: handles of tables, and ops that initialize them.

Tables are created with their initializers, so there is nothing left to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.default_scopes import get_collection
from ...graph.node import Operation
from ...graph.scopes.collections import GraphKeys
from ...ops.debugging.group_and_tuple import group, no_op


def shared_resources() -> list[Any]:
    """The resources that processes share."""
    return get_collection(GraphKeys.RESOURCES)


def local_resources() -> list[Any]:
    """The resources of this process."""
    return get_collection(GraphKeys.LOCAL_RESOURCES)


def initialize_resources(resource_list: Sequence[Any], name: str = "init") -> Operation:
    """An op that initializes resources.

    Args:
        resource_list: the resources.
        name: a name for the op.
    """
    initializers = [resource.create for resource in resource_list if hasattr(resource, "create")]
    return group(*initializers, name=name) if initializers else no_op(name=name)
