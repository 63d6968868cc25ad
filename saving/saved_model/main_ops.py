"""Ops that a SavedModel asks to be run once, when its variables have their values."""

from __future__ import annotations

from ...graph.default_graph import get_default_graph
from ...graph.node import Operation
from ...ops.debugging.group_and_tuple import group
from ...ops.variables.variable_lists import (
    global_variables_initializer,
    local_variables_initializer,
)

public = {
    "td.saved_model.main_op": "main_op main_op_with_restore",
    "td.saved_model": "main_op_with_restore",
}


def main_op() -> Operation:
    """An op that gives all variables their initial values, and tables theirs.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable(3)
        ...     session.run(td.saved_model.main_op.main_op())
        ...     session.run(v)
        np.int32(3)
    """
    return group(global_variables_initializer(), local_variables_initializer(), _tables())


def main_op_with_restore(restore_op_name: str) -> Operation:
    """Like `main_op`, for variables whose values come from a checkpoint.

    Args:
        restore_op_name: the name of the op that restores them.

    Example:
        >>> with td.Graph().as_default():
        ...     v = td.Variable(3)
        ...     name = td.train.Saver().saver_def.restore_op_name
        ...     op = td.saved_model.main_op.main_op_with_restore(name)
        ...     "save/restore_all" in [before.name for before in op.control_inputs]
        True
    """
    graph = get_default_graph()
    with graph.control_dependencies([main_op()]):
        return group(graph.get_operation_by_name(restore_op_name))


def _tables() -> Operation:
    return group(*get_default_graph().get_collection("table_initializer"), name="init_all_tables")
