"""Names, fetches and feeds of programs, and errors of sessions, as in TensorFlow 1.x."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

# Names -------------------------------------------------------------------------------------------


def test_names_may_be_bytes(session: td.Session) -> None:
    x = td.constant(1.0, name=b"x")  # type: ignore[arg-type]
    with td.name_scope(b"layer") as scope:
        y = td.identity(x, name="y")
    assert (x.name, scope, y.name) == ("x:0", "layer/", "layer/y:0")
    graph = session.graph
    assert graph.as_graph_element(b"x:0") is graph.as_graph_element("x:0") is x
    assert graph.unique_name(b"x") == "x_1"
    assert session.run([b"x:0", b"x"]) == [1.0, None]
    assert session.run(b"layer/y:0", {b"x:0": 5.0}) == 5.0
    with graph.control_dependencies([b"x"]):
        assert td.no_op().control_inputs == [x.op]


def test_a_scope_for_values_needs_a_name() -> None:
    x = td.constant(1.0)
    for arguments in ((None, None, [x]), (None, None, [])):
        with pytest.raises(ValueError, match="name and default_name"), td.name_scope(*arguments):
            pass
    with td.name_scope("", values=[x]) as scope:
        assert scope == ""


def values_of_a_graph() -> dict[str, Any]:
    indices, shape = td.constant([[0]], td.int64), td.constant([1], td.int64)
    return {
        "operation": td.no_op(),
        "tensor": td.constant(1.0),
        "variable": td.Variable(1.0),
        "sparse tensor": td.SparseTensor(indices, [1.0], shape),
    }


def test_a_scope_is_put_in_the_graph_of_its_values() -> None:
    with td.Graph().as_default() as graph:
        values = values_of_a_graph()
    with td.Graph().as_default():
        others = values_of_a_graph()
    for kind, value in values.items():
        with td.name_scope("scope", values=[1.0, None, value]):
            assert td.get_default_graph() is graph, kind
        for other in others.values():
            with (
                pytest.raises(ValueError, match="must be from the same graph"),
                td.name_scope("scope", values=[value, other]),
            ):
                pass


# Feeds -------------------------------------------------------------------------------------------


def test_nested_tuples_are_fed_whole(session: td.Session) -> None:
    a, b, c = (td.placeholder(td.float32, [2], name=name) for name in "abc")
    first, second, third = np.array([1, 1]), np.array([2, 2]), np.array([3, 3])
    for _ in range(6):  # in every tier
        feeds = {(((a,),), b, ("c:0",)): (((first,),), second, (third,))}
        results = session.run([a, b + 0.0, c], feeds)
        assert [result.tolist() for result in results] == [[1, 1], [2, 2], [3, 3]]
    assert session.run(a + b, {(a, b): [second, third]}).tolist() == [5, 5]
    with pytest.raises(ValueError, match="a key of feed_dict has 2 elements, its value 3"):
        session.run(a, {(a, b): [first, second, third]})
    with pytest.raises(TypeError, match="Cannot interpret feed_dict key as Tensor"):
        session.run(a, {(a, 3): (first, second)})


def test_only_an_int_of_its_own_must_fit_the_tensor(session: td.Session) -> None:
    x = td.placeholder(td.uint8, [])
    assert session.run(x, {x: 255}) == 255
    for value in (256, -1, 2**70):
        with pytest.raises(TypeError, match=f"{value} .* is not compatible with Tensor type"):
            session.run(x, {x: value})


def test_elements_of_other_graphs_are_refused(session: td.Session) -> None:
    with td.Graph().as_default():
        foreign = td.placeholder(td.float32, name="foreign")
    own = td.constant(1)
    with pytest.raises(ValueError, match="not an element of this graph"):
        session.run(foreign)
    with pytest.raises(TypeError, match=r"feed_dict.*not an element of this graph"):
        session.run(own, {foreign: 1})
    for use in (foreign.eval, foreign.op.run, lambda: foreign.eval(session=session)):
        with pytest.raises(ValueError, match="its graph is different"):
            use()


def test_feeding_and_fetching_can_be_prevented(session: td.Session) -> None:
    graph = session.graph
    x = td.placeholder(td.int32, [], name="x")
    y = td.identity(x, name="y")
    assert graph.is_feedable(x)
    assert graph.is_fetchable(y)
    graph.prevent_feeding(x)
    graph.prevent_fetching(y.op)
    assert not graph.is_feedable(x)
    assert not graph.is_fetchable(y.op)
    assert not graph.is_fetchable(y)
    with pytest.raises(ValueError, match="'x:0' may not be fed"):
        session.run(x, {x: 1})
    for fetch, name in ((y.op, "y"), (y, "y:0")):
        with pytest.raises(ValueError, match=f"'{name}' has been marked as not fetchable"):
            session.run(fetch)


# Sessions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"target": 37}, TypeError, "target must be a string, got 37"),
        ({"config": 37}, TypeError, "config must be a td.ConfigProto, got 37"),
        ({"graph": 37}, TypeError, "graph must be a td.Graph, got 37"),
        ({"target": "nowhere"}, td.errors.NotFoundError, "No session factory.*'nowhere'"),
        ({"target": b"nowhere"}, td.errors.NotFoundError, "No session factory.*'nowhere'"),
    ],
)
@pytest.mark.parametrize("kind", [td.Session, td.InteractiveSession])
def test_a_session_wants_what_it_can_use(
    kind: type[td.Session], arguments: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        kind(**arguments)
    assert td.get_default_session() is None


def test_the_usual_target_has_no_name() -> None:
    targets: list[str | bytes | None] = ["", b"", None]
    for target in targets:
        assert td.Session(target).sess_str == b""


def test_a_session_is_entered_once() -> None:
    session = td.Session()
    with session, pytest.raises(RuntimeError, match="not re-entrant"), session:
        pass
    with session:  # closed by now, yet it may be the default
        assert td.get_default_session() is session
    assert td.get_default_session() is None


def test_an_interactive_session_may_be_entered_and_left_in_any_order() -> None:
    first, second = td.InteractiveSession(), td.InteractiveSession()
    first.close()
    assert td.get_default_session() is second
    with second:
        assert td.get_default_session() is second
    assert td.get_default_session() is None


def test_blocks_of_default_sessions_end_in_order() -> None:
    first, second = td.Session(), td.Session()
    outer, inner = first.as_default(), second.as_default()
    outer.__enter__()
    inner.__enter__()
    with pytest.raises(AssertionError, match="Nesting violated"):
        outer.__exit__(None, None, None)
    inner.__exit__(None, None, None)
    assert td.get_default_session() is None


def test_an_empty_graph_cannot_be_run(session: td.Session) -> None:
    nothing: list[Any] = [[], (), {}, None, "x:0"]
    for fetches in nothing:
        with pytest.raises(RuntimeError, match="The Session graph is empty"):
            session.run(fetches)
    td.no_op()
    assert session.run([]) == []


def test_a_partial_run_needs_something_to_fetch(session: td.Session) -> None:
    x = td.placeholder(td.float32, [])
    with pytest.raises(td.errors.InvalidArgumentError, match="at least one target to fetch"):
        session.partial_run_setup([], [x])


def test_a_closed_session_says_so(session: td.Session) -> None:
    x = td.constant(1)
    session.close()
    with pytest.raises(RuntimeError, match=r"Attempted to use a closed Session\."):
        session.run(x)


def test_the_graph_def_of_a_session_has_shapes_if_the_config_asks_for_them() -> None:
    with td.Graph().as_default():
        td.constant([[1, 2]])
        config = td.ConfigProto(graph_options=td.GraphOptions(infer_shapes=True))
        plain, shown = td.Session().graph_def, td.Session(config=config).graph_def
    assert "_output_shapes" not in plain.node[0].attr
    [shape] = shown.node[0].attr["_output_shapes"].list.shape
    assert [dim.size for dim in shape.dim] == [1, 2]


def test_pools_are_added_to_a_config_as_to_a_message() -> None:
    config = td.ConfigProto()
    pool = config.session_inter_op_thread_pool.add()
    assert (pool.num_threads, pool.global_name) == (0, "")
    config.session_inter_op_thread_pool.add(num_threads=1, global_name="shared")
    assert [pool.num_threads for pool in config.session_inter_op_thread_pool] == [0, 1]
    assert td.ConfigProto().session_inter_op_thread_pool == []
    options = td.RunOptions()
    options.inter_op_thread_pool = len(config.session_inter_op_thread_pool) - 1
    with td.Graph().as_default(), td.Session(config=config) as session:
        assert session.run(td.constant(3), options=options) == 3
