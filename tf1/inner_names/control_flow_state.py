"""Names of `tensorflow.python.ops.control_flow_util` and the switches of control flow 2."""

from __future__ import annotations

from typing import Any

ENABLE_CONTROL_FLOW_V2 = False


def EnableControlFlowV2(graph: Any) -> bool:  # noqa: N802 - TensorFlow's name
    """False: `cond` and `while_loop` add the names of control flow 1 to a graph."""
    return False


def enable_control_flow_v2() -> None:
    """Does nothing: branches and bodies are functions in either case."""


disable_control_flow_v2 = enable_control_flow_v2


def control_flow_v2_enabled() -> bool:
    """False."""
    return False


def GetContainingWhileContext(ctxt: Any, stop_ctxt: Any = None) -> None:  # noqa: N802
    """None: bodies of loops are graphs of their own, and have no contexts."""


GetContainingCondContext = GetContainingWhileContext


def IsInWhileContext(op: Any) -> bool:  # noqa: N802 - TensorFlow's name
    """True for an op of the body of a loop."""
    return _is_inside(op, "while")


def IsInCond(op: Any) -> bool:  # noqa: N802 - TensorFlow's name
    """True for an op of the branch of a condition."""
    return _is_inside(op, "cond")


def _is_inside(op: Any, kind: str) -> bool:
    graph = op.graph
    while graph is not None:
        if kind in graph.what:
            return True
        graph = graph.outer
    return False
