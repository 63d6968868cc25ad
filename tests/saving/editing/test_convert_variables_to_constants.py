"""Freezing of variables that loops hand on, in both forms of loops."""

from __future__ import annotations

from typing import Any

import pytest

import tensordraft as td


@pytest.mark.parametrize("form", [None, "lowered"])
def test_a_loop_may_hand_a_variable_on(form: str | None) -> None:
    with td.Graph().as_default() as graph, td.Session() as session:
        v: Any = td.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
        last, handle = td.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, h), [0, v.handle])
        shape = td.raw_ops.VariableShape(input=handle, out_type="int32")
        value = td.raw_ops.ReadVariableOp(resource=td.identity(handle), dtype="float32")
        td.add(value, td.cast(shape + last, td.float32), name="y")
        session.run(v.initializer)
        whole = graph.as_graph_def(control_flow=form)
        frozen = td.graph_util.convert_variables_to_constants(session, whole, ["y"])
    assert not [node.op for node in frozen.node if "Variable" in node.op or "Handle" in node.op]
    with td.Graph().as_default(), td.Session() as session:
        td.import_graph_def(frozen, name="")
        assert session.run("y:0").tolist() == [6.0, 7.0]
