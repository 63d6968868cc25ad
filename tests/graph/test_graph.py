"""Graphs, operations and tensors: what they hold, how they are found, what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from places import created_in
from toy_ops import ADD, COUNTER, ENDS, mark

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")
# Operations and tensors --------------------------------------------------------------------------


def test_an_operation_tells_what_it_is(graph: td.Graph) -> None:
    x = td.constant([[1, 2], [3, 4]], name="x")
    first, last = ENDS(x, name="ends")
    op = first.op
    assert (op.name, op.type, op.graph, op.device) == ("ends", "ToyEnds", graph, "")
    assert op.inputs == (x,)
    assert op.control_inputs == []
    assert op.outputs == list(op.values()) == [first, last]
    assert op.get_attr("T") is td.int32
    assert repr(op) == "<td.Operation 'ends' type=ToyEnds>"
    assert op.op_def.name == "ToyEnds"
    assert op.node_def.input == ["x"]


def test_a_tensor_tells_what_it_is(graph: td.Graph) -> None:
    _, last = ENDS(td.placeholder(td.float32, [None, "n", 3]), name="ends")
    assert (last.name, last.value_index, last.dtype, last.graph) == ("ends:1", 1, td.float32, graph)
    assert str(last.shape) == str(last.get_shape()) == "(n, 3)"
    assert repr(last) == "<td.Tensor 'ends:1' shape=(n, 3) dtype=float32>"


def test_inputs_and_controls_are_fixed() -> None:
    with td.control_dependencies([mark("first")]):
        op = td.constant(1).op
    assert isinstance(op.inputs, tuple)
    op.control_inputs.clear()
    assert [control.name for control in op.control_inputs] == ["first"]


def test_an_op_knows_the_line_that_made_it() -> None:
    op = td.constant(1).op
    assert op.site is not None
    assert op.site.file == __file__
    assert f"created at {op.site}" == f"{created_in(__file__)}{op.site.line}"
    assert op.traceback == [op.site]
    [later] = td.constant(2).op.traceback
    assert later.line > op.site.line


def test_tensors_are_compared_by_identity() -> None:
    x, y = td.constant(1), td.constant(1)
    assert x == x
    assert x != y
    assert {x: "x", y: "y"}[x] == "x"
    assert x in [y, x]


def test_attrs_are_read_in_python_form(graph: td.Graph) -> None:
    op = mark("a")
    assert op.get_attr("text") == b"a"
    x = td.placeholder(td.float32, [2, None])
    assert x.op.get_attr("shape") == td.TensorShape([2, None])
    value = td.constant([1, 2]).op.get_attr("value")
    assert isinstance(value, td.TensorProto)
    assert td.make_ndarray(value).tolist() == [1, 2]
    with pytest.raises(ValueError, match="no attr 'nosuch'; it has text"):
        op.get_attr("nosuch")


def test_consumers_are_told_in_order() -> None:
    x = td.constant(1.0)
    assert x.consumers() == []
    y = ADD(x, x)
    assert x.consumers() == [y.op, y.op]
    z = ADD(y, x)
    assert x.consumers() == [y.op, y.op, z.op]
    assert y.consumers() == [z.op]


@pytest.mark.parametrize(
    ("misuse", "hint"),
    [
        (bool, "session.run"),
        (len, r"shape\[0\]"),
        (list, "unstack"),
        (np.asarray, "session.run"),
        (lambda x: np.add(x, 1), "session.run"),
    ],
)
def test_misuse_of_a_tensor_tells_what_to_write(misuse: Callable[[Any], Any], hint: str) -> None:
    x = td.constant([1, 2], name="vector")
    with pytest.raises(TypeError, match=f"'vector:0'.*{hint}"):
        misuse(x)


def test_in_and_unpacking_are_refused_too() -> None:
    x = td.constant([1, 2])
    with pytest.raises(TypeError, match="only a run knows"):
        _ = 1 in x
    with pytest.raises(TypeError, match="cannot be iterated over"):
        _, _ = x


def test_set_shape_adds_knowledge_and_refuses_contradictions() -> None:
    x = td.placeholder(td.float32)
    x.set_shape([None, 3])
    x.set_shape([2, None])
    assert x.shape.as_list() == [2, 3]
    with pytest.raises(ValueError, match="not compatible"):
        x.set_shape([2, 4])
    with pytest.raises(ValueError, match="rank"):
        x.set_shape([2])
    assert x.shape.as_list() == [2, 3]


# Finding things ----------------------------------------------------------------------------------


def test_elements_are_found_by_name(graph: td.Graph) -> None:
    x = td.constant(1, name="scope/x")
    assert graph.as_graph_element("scope/x:0") is x
    assert graph.as_graph_element("scope/x") is x.op
    assert graph.as_graph_element(x) is x
    assert graph.as_graph_element(x.op) is x.op
    assert graph.get_tensor_by_name("scope/x:0") is x
    assert graph.get_operation_by_name("scope/x") is x.op


def test_an_object_may_stand_for_an_element(graph: td.Graph) -> None:
    x = td.constant(1)

    class Variable:
        def _as_graph_element(self) -> td.Tensor:
            return x

    assert graph.as_graph_element(Variable()) is x


@pytest.mark.parametrize(
    ("look", "error", "text"),
    [
        (
            lambda g: g.as_graph_element("d"),
            KeyError,
            "'d' refers to an Operation not in the graph",
        ),
        (lambda g: g.as_graph_element(b"d"), KeyError, "'d' refers to an Operation not in"),
        (lambda g: g.as_graph_element("^c"), KeyError, "'\\^c' refers to an Operation not in"),
        (lambda g: g.as_graph_element("c:1"), KeyError, r"only has 1 output\b"),
        (lambda g: g.as_graph_element("d:0"), KeyError, "'d' does not exist in the graph"),
        (lambda g: g.as_graph_element(":0"), KeyError, "'' does not exist in the graph"),
        (lambda g: g.as_graph_element("c:x"), ValueError, "not a valid one"),
        (lambda g: g.as_graph_element("c:-1"), ValueError, "not a valid one"),
        (lambda g: g.as_graph_element("c:"), ValueError, "not a valid one"),
        (lambda g: g.as_graph_element("c:0:0"), ValueError, "not a valid one"),
        (lambda g: g.as_graph_element("c:99999999999999999999"), KeyError, r"only has 1 output\b"),
        (lambda g: g.as_graph_element("c", allow_operation=False), ValueError, "like 'c:0'"),
        (lambda g: g.as_graph_element("c:0", allow_tensor=False), ValueError, "not an Operation"),
        (lambda g: g.as_graph_element(3), TypeError, "int into a Tensor or Operation: 3"),
        (lambda g: g.as_graph_element(None), TypeError, "a NoneType into"),
        (lambda g: g.as_graph_element(td.Graph()), TypeError, "a Graph into"),
        (lambda g: g.get_tensor_by_name("c"), ValueError, "like 'c:0'"),
        (lambda g: g.get_tensor_by_name("nosuch:0"), KeyError, "nosuch"),
        (lambda g: g.get_tensor_by_name(3), TypeError, "must be a string, got 3"),
        (lambda g: g.get_operation_by_name("c:0"), ValueError, "not an Operation"),
        (lambda g: g.get_operation_by_name("nosuch"), KeyError, "nosuch"),
        (lambda g: g.get_operation_by_name(b"c"), TypeError, "must be a string"),
    ],
)
def test_what_is_not_there_is_told(
    graph: td.Graph, look: Callable[[td.Graph], Any], error: type[Exception], text: str
) -> None:
    td.constant(1, name="c")
    with pytest.raises(error, match=text):
        look(graph)


def test_elements_of_the_wrong_kind_or_graph_are_refused(graph: td.Graph) -> None:
    x = td.constant(1, name="c")
    with pytest.raises(TypeError, match=r"Tensor into a Operation: <td\.Tensor 'c:0'"):
        graph.as_graph_element(x, allow_tensor=False)
    with pytest.raises(TypeError, match=r"Operation into a Tensor: <td\.Operation 'c'"):
        graph.as_graph_element(x.op, allow_operation=False)
    with pytest.raises(TypeError, match="must be a string"):
        graph.get_tensor_by_name(x)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not an element of this graph"):
        td.Graph().as_graph_element(x)


# The default graph -------------------------------------------------------------------------------


def test_default_graphs_nest(graph: td.Graph) -> None:
    assert td.get_default_graph() is graph
    with td.Graph().as_default() as inner:
        assert td.get_default_graph() is inner
        assert td.constant(1).graph is inner
    assert td.get_default_graph() is graph


def test_an_op_goes_to_the_graph_of_its_inputs(graph: td.Graph) -> None:
    x = td.constant(1)
    with td.Graph().as_default() as other:
        assert ADD(x, 2).graph is graph
        assert other.get_operations() == []
        variable = td.Variable(1.0)
        with td.Graph().as_default():
            assert ADD(variable, 1.0).graph is ADD(1.0, variable).graph is other
        with pytest.raises(ValueError, match="must be from the same graph"):
            ADD(x, td.constant(1))


def test_the_default_graph_cannot_be_reset_inside_a_block() -> None:
    with pytest.raises(ValueError, match="inside a graph's `with` block"):
        td.reset_default_graph()


def test_resetting_makes_a_new_default_graph() -> None:
    def replaced() -> bool:
        before = td.get_default_graph()
        td.reset_default_graph()
        return td.get_default_graph() is not before

    with ThreadPoolExecutor(1) as pool:  # a thread of its own is inside no block
        assert pool.submit(replaced).result()


# Collections -------------------------------------------------------------------------------------


def test_collections_hold_anything(graph: td.Graph) -> None:
    graph.add_to_collection("k", 1)
    td.add_to_collection("k", "two")
    graph.add_to_collections(["k", "l", "k"], 3)
    td.add_to_collections("m", 4)
    assert td.get_collection("k") == [1, "two", 3]
    assert graph.get_collection("l") == [3]
    assert graph.get_collection("m") == [4]
    assert graph.get_collection("none") == []
    assert sorted(graph.get_all_collection_keys()) == ["k", "l", "m"]


def test_a_collection_is_copied_and_its_reference_is_not(graph: td.Graph) -> None:
    graph.add_to_collection("k", 1)
    graph.get_collection("k").append(9)
    td.get_collection_ref("k").append(2)
    assert graph.get_collection("k") == [1, 2]
    graph.clear_collection("k")
    assert graph.get_collection("k") == []
    assert graph.get_all_collection_keys() == []


def test_a_collection_is_filtered_by_a_pattern_that_names_begin_with(graph: td.Graph) -> None:
    a, b = td.constant(1, name="s/a"), td.constant(1, name="t/b")
    for item in (a, b, 7):
        graph.add_to_collection("all", item)
    assert graph.get_collection("all", "s") == [a]
    assert graph.get_collection("all", ".*b") == [b]
    assert graph.get_collection("all", "b") == []


# Finalizing, and what may be fed and fetched -----------------------------------------------------


def test_a_finalized_graph_runs_and_does_not_grow(graph: td.Graph) -> None:
    x = td.constant(1, name="x")
    states = [graph.finalized]
    graph.finalize()
    assert [*states, graph.finalized] == [False, True]
    with pytest.raises(RuntimeError, match="finalized"):
        td.constant(2)
    with pytest.raises(RuntimeError, match="finalized"):
        td.import_graph_def(graph.as_graph_def(), name="copy")
    with pytest.raises(RuntimeError, match="finalized"):
        graph.add_to_collection("k", x)
    assert [op.name for op in graph.get_operations()] == ["x"]
    with td.Session() as session:
        assert session.run(x) == 1


# Building ----------------------------------------------------------------------------------------


def test_create_op_makes_an_op_of_any_registered_type(graph: td.Graph) -> None:
    x = td.constant([1.0])
    op = graph.create_op("ToyAdd", [x, x], name="sum", attrs={"T": td.float32})
    assert (op.name, op.outputs[0].shape.as_list()) == ("sum", [1])
    with pytest.raises(ValueError, match="'NoSuchOp' is not supported"):
        graph.create_op("NoSuchOp", [])
    with pytest.raises(ValueError, match="takes 2 inputs, got 1"):
        graph.create_op("ToyAdd", [x], attrs={"T": td.float32})
    with pytest.raises(ValueError, match="must be int32, got float32"):
        graph.create_op("ToyAdd", [x, x], attrs={"T": td.int32})


def test_versions_grow_and_select_what_is_exported(graph: td.Graph) -> None:
    start = graph.version
    td.constant(1, name="a")
    middle = graph.version
    td.constant(1, name="b")
    assert start < middle < graph.version
    assert [node.name for node in graph.as_graph_def(from_version=middle).node] == ["b"]
    assert graph.graph_def_versions.producer > 0


def test_a_call_that_fails_leaves_the_graph_as_it_was(graph: td.Graph) -> None:
    x = td.constant([1, 2], name="x")
    before = graph.as_graph_def().SerializeToString(deterministic=True)
    failures: list[tuple[Callable[[], Any], type[Exception]]] = [
        (lambda: ADD(x, [1, 2, 3]), ValueError),
        (lambda: ADD(x, 1.5), TypeError),
        (lambda: ADD([1, 2], "text"), TypeError),
        (lambda: ADD(x, x, nosuch=1), TypeError),
        (lambda: ENDS(1), ValueError),
        (lambda: COUNTER(x), TypeError),
        (lambda: ADD(x, x, name="not legal"), ValueError),
    ]
    for fail, error in failures:
        with pytest.raises(error):
            fail()
    assert graph.as_graph_def().SerializeToString(deterministic=True) == before
    assert x.consumers() == []
    y = ADD(x, x)
    assert x.consumers() == [y.op, y.op]


def test_a_graph_may_be_built_by_several_threads(graph: td.Graph) -> None:
    threads, each = 4, 50

    def build(_: int) -> None:
        with graph.as_default(), graph.name_scope("s"):
            for _ in range(each):
                x = ADD(1, 2, name="x")
                with pytest.raises(ValueError, match="rank at least 1"):
                    ENDS(x)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(build, range(threads)))
    operations = graph.get_operations()
    assert len(operations) == threads * each * 3
    assert len({op.name.lower() for op in operations}) == len(operations)
    for i, op in enumerate(operations):
        assert op.index == i
        assert all(source.op.index < i for source in op.inputs)


def test_networkx_shows_the_structure(graph: td.Graph) -> None:
    x = td.constant([1], name="x")
    with graph.control_dependencies([mark("before")]), graph.device("/cpu:0"):
        ADD(x, x, name="sum")
    nx_graph = graph.to_networkx()
    assert nx_graph.nodes["sum"] == {"type": "ToyAdd", "device": "/device:CPU:0"}
    data = [attrs for _, _, attrs in nx_graph.edges(data=True) if "tensor" in attrs]
    assert [attrs["position"] for attrs in data] == [0, 1]
    assert data[0]["tensor"] == "x:0"
    assert data[0]["dtype"] == "int32"
    assert nx_graph.get_edge_data("before", "sum") == {0: {"control": True}}


def test_exports_of_equal_graphs_are_equal_and_may_carry_shapes(graph: td.Graph) -> None:
    def build() -> td.Graph:
        with td.Graph().as_default() as made:
            ENDS(td.placeholder(td.float32, [None, 3], name="x"))
        return made

    one, other = (made.as_graph_def() for made in (build(), build()))
    assert one.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True)
    node = build().as_graph_def(add_shapes=True).node[1]
    shapes = node.attr["_output_shapes"].list.shape
    assert [[dim.size for dim in shape.dim] for shape in shapes] == [[3], [3]]


def test_programs_hang_things_on_tensors_and_variables() -> None:
    with td.Graph().as_default():
        x: Any = td.constant([1.0])
        parts: list[Any] = [
            x,
            td.Variable(x),
            td.Variable(x, use_resource=True),
            td.SparseTensor([[0]], [1.0], [1]),
            td.IndexedSlices(x, td.constant([0])),
        ]
        for part in parts:
            part.weights = [x]
            assert part.weights == [x]
