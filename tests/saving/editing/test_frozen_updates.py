"""Updates of variables in what is frozen: dropped, or left to fail where they run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.protos.messages import GraphDef

X = [[1.0, 2.0], [3.0, 6.0]]
UPDATES: dict[str, Callable[..., Any]] = {
    "AssignSub": td.assign_sub,
    "AssignAdd": td.assign_add,
    "Assign": td.assign,
    "ScatterUpdate": lambda v, value: td.scatter_update(v, [0, 1], value),
}


def branch(update: Callable[..., Any], resource: bool, read: bool) -> tuple[td.Graph, Any]:
    """A graph that updates a variable if it is fed `training`, and reads the update if `read`."""
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [None, 2], name="x")
        training = td.placeholder_with_default(False, [], name="training")
        v: Any = td.get_variable("v", initializer=[1.0, 2.0], use_resource=resource)

        def in_training() -> Any:
            mean = td.reduce_mean(x, 0)
            changed = update(v, mean)
            with td.control_dependencies([changed]):
                return td.identity(changed if read else mean)

        td.subtract(x, td.cond(training, in_training, lambda: td.identity(v)), name="y")
    return graph, v.initializer


def frozen_form(graph: td.Graph, initializer: Any, form: str | None) -> GraphDef:
    with td.Session(graph=graph) as session:
        session.run(initializer)
        whole = graph.as_graph_def(control_flow=form)
        result: GraphDef = td.graph_util.convert_variables_to_constants(session, whole, ["y"])
    return result


def results(graph_def: GraphDef, training: bool) -> Any:
    with td.Graph().as_default(), td.Session() as session:
        td.import_graph_def(graph_def, name="")
        return session.run("y:0", {"x:0": X, "training:0": training})


@pytest.mark.parametrize(
    ("resource", "form"), [(False, "lowered"), (True, "lowered"), (False, None)]
)
@pytest.mark.parametrize("kind", UPDATES)
def test_an_update_that_is_only_awaited_is_dropped(
    kind: str, resource: bool, form: str | None
) -> None:
    frozen = frozen_form(*branch(UPDATES[kind], resource, False), form)
    types = {node.op for node in frozen.node}
    assert not [name for name in types if "Ref" in name or "ssign" in name or "Var" in name]
    np.testing.assert_allclose(results(frozen, False), np.subtract(X, [1.0, 2.0]))
    if form == "lowered":
        np.testing.assert_allclose(results(frozen, True), np.subtract(X, [2.0, 4.0]))


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("kind", UPDATES)
def test_an_update_that_is_read_fails_only_where_it_runs(kind: str, resource: bool) -> None:
    frozen = frozen_form(*branch(UPDATES[kind], resource, True), "lowered")
    assert not [node.op for node in frozen.node if "Ref" in node.op or "Var" in node.op]
    np.testing.assert_allclose(results(frozen, False), np.subtract(X, [1.0, 2.0]))
    with pytest.raises(td.errors.InvalidArgumentError, match="changes a variable that was frozen"):
        results(frozen, True)


def test_an_update_in_a_function_fails_only_where_it_runs() -> None:
    frozen = frozen_form(*branch(UPDATES["Assign"], True, False), None)
    assert frozen.library.function
    np.testing.assert_allclose(results(frozen, False), np.subtract(X, [1.0, 2.0]))
    with pytest.raises(td.errors.InvalidArgumentError, match="changes a variable that was frozen"):
        results(frozen, True)


@pytest.mark.parametrize("resource", [False, True])
def test_an_update_that_always_runs_is_dropped_unless_it_is_read(resource: bool) -> None:
    with td.Graph().as_default() as graph, td.Session() as session:
        v: Any = td.get_variable("v", initializer=[1.0, 2.0], use_resource=resource)
        changed = v.assign_add([1.0, 1.0])
        with td.control_dependencies([changed]):
            td.identity(td.constant(3.0), name="waits")
            td.multiply(v.read_value(), 2.0, name="reads")
        with td.control_dependencies([td.group(changed)]):
            group = td.no_op(name="group")
        session.run(v.initializer)
        whole = graph.as_graph_def()
        convert = td.graph_util.convert_variables_to_constants
        kept = {node.op for node in convert(session, whole, ["waits"]).node}
        assert kept == {"Const", "Identity"}
        for name in ("reads", group.name, changed.op.name):
            with pytest.raises(
                ValueError, match="changes a variable, so that cannot be a constant"
            ):
                convert(session, whole, [name])


@pytest.mark.parametrize("resource", [False, True])
def test_whether_a_constant_is_initialized_is_known(resource: bool) -> None:
    with td.Graph().as_default() as graph, td.Session() as session:
        v: Any = td.get_variable("v", initializer=[1.0, 2.0], use_resource=resource)
        td.identity(td.is_variable_initialized(v), name="y")
        session.run(v.initializer)
        frozen = td.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["y"])
    with td.Graph().as_default(), td.Session() as session:
        td.import_graph_def(frozen, name="")
        assert session.run("y:0")


def published(kind: str, resource: bool) -> GraphDef:
    """A file as TensorFlow 1.x froze it: constants, and the updates as they were."""
    graph, _ = branch(UPDATES[kind], resource, True)
    graph_def = graph.as_graph_def(control_flow="lowered")
    result = GraphDef(versions=graph_def.versions)
    value = td.make_tensor_proto([1.0, 2.0], "float32")
    for node in graph_def.node:
        copy = result.node.add(name=node.name, op=node.op)
        if node.op in ("VariableV2", "VarHandleOp"):
            copy.op = "Const"
            copy.attr["dtype"].CopyFrom(node.attr["dtype"])
            copy.attr["value"].tensor.CopyFrom(value)
        elif node.op == "ReadVariableOp":
            copy.op = "Identity"
            copy.input.extend(node.input)
            copy.attr["T"].CopyFrom(node.attr["dtype"])
        else:
            copy.CopyFrom(node)
            if node.op == "Switch" and node.attr["T"].type == td.resource.as_datatype_enum:
                copy.attr["T"].type = td.float32.as_datatype_enum
    return td.graph_util.extract_sub_graph(result, ["y"])


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("kind", UPDATES)
def test_a_file_with_an_update_of_a_constant_fails_only_where_that_runs(
    kind: str, resource: bool
) -> None:
    graph_def = published(kind, resource)
    assert [node.op for node in graph_def.node if kind in node.op]
    np.testing.assert_allclose(results(graph_def, False), np.subtract(X, [1.0, 2.0]))
    wanted = "resource" if resource else "float32_ref"
    with pytest.raises(
        td.errors.FailedPreconditionError, match=f"input 0 of .*{kind}.* must be .*{wanted}"
    ):
        results(graph_def, True)


def test_an_update_of_a_constant_is_saved_as_it_was() -> None:
    graph_def = published("AssignSub", False)
    with td.Graph().as_default() as graph:
        td.import_graph_def(graph_def, name="")
    again = graph.as_graph_def()
    ops = {node.name: node.op for node in graph_def.node}
    assert {node.name: node.op for node in again.node} == ops
