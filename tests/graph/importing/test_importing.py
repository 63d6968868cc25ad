"""Importing GraphDefs: what is taken in, what is refused, and that nothing is left behind."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st
from toy_ops import ADD, CHECKED, ENDS, mark, marks_of

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")


def sums() -> td.GraphDef:
    """x and y are placeholders; total = x + y; (first, last) of the total, after the op `mark`."""
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.int32, [None], name="x")
        y = td.placeholder(td.int32, [None], name="y")
        with graph.device("/cpu:0"):
            total = ADD(x, y, name="total")
        with graph.control_dependencies([mark("mark")]):
            ENDS(total, name="ends")
    return graph.as_graph_def()


def node(graph_def: td.GraphDef, name: str) -> td.NodeDef:
    return next(node for node in graph_def.node if node.name == name)


def run(fetches: Any, feeds: Any) -> Any:
    with td.Session() as session:
        return session.run(fetches, feeds)


# What is taken in --------------------------------------------------------------------------------


def test_nodes_are_put_under_a_scope(graph: td.Graph) -> None:
    assert td.import_graph_def(sums()) is None
    td.import_graph_def(sums())
    td.import_graph_def(sums(), name="here")
    with td.name_scope("outer"):
        td.import_graph_def(sums(), name="inner")
    names = [op.name for op in graph.get_operations() if op.type == "ToyAdd"]
    assert names == ["import/total", "import_1/total", "here/total", "outer/inner/total"]
    assert graph.get_operation_by_name("here/ends").control_inputs[0].name == "here/mark"


def test_nothing_is_changed_on_the_way(graph: td.Graph) -> None:
    graph_def = sums()
    td.import_graph_def(graph_def, name="")
    again = graph.as_graph_def()
    assert list(again.node) == list(graph_def.node)
    assert run("ends:1", {"x:0": [1, 2], "y:0": [3, 4]}) == 6


@given(st.permutations(range(5)))
def test_nodes_may_come_in_any_order(order: list[int]) -> None:
    graph_def = sums()
    nodes = list(graph_def.node)
    del graph_def.node[:]
    graph_def.node.extend(nodes[i] for i in order)
    with td.Graph().as_default() as graph:
        [last] = td.import_graph_def(graph_def, return_elements=["ends:1"], name="") or []
        assert [op.index for op in graph.get_operations()] == list(range(5))
        assert sorted(op.name for op in graph.get_operations()) == [
            "ends",
            "mark",
            "total",
            "x",
            "y",
        ]
        with td.Session() as session:
            assert session.run(last, {"x:0": [1, 2], "y:0": [3, 4]}) == 6


def test_inputs_are_read_in_every_form(graph: td.Graph) -> None:
    graph_def = sums()
    node(graph_def, "total").input[:] = ["x:0", "y"]
    node(graph_def, "ends").input[:] = ["total:0", "^mark", "^x", "^mark"]
    td.import_graph_def(graph_def, name="")
    ends = graph.get_operation_by_name("ends")
    assert [control.name for control in ends.control_inputs] == ["mark", "x"]
    assert node(graph.as_graph_def(), "ends").input == ["total", "^mark", "^x"]


def test_devices_and_shapes_are_taken_over(graph: td.Graph) -> None:
    td.import_graph_def(sums(), name="")
    assert graph.get_operation_by_name("total").device == "/device:CPU:0"
    assert graph.get_tensor_by_name("total:0").shape.as_list() == [None]


def test_colocation_groups_follow_the_scope(graph: td.Graph) -> None:
    with td.Graph().as_default() as source:
        a = td.constant(1, name="a")
        with source.colocate_with(a):
            td.constant(2, name="b")
    td.import_graph_def(source.as_graph_def(), name="s")
    assert graph.get_operation_by_name("s/b").colocation_groups() == [b"loc:@s/a"]


def test_the_scopes_in_force_hold_for_imports_too(graph: td.Graph) -> None:
    graph_def = sums()
    graph_def.node[0].name = "w"
    node(graph_def, "total").input[:] = ["w", "y"]
    with td.name_scope("s") as scope:
        td.import_graph_def(graph_def, name="part")
        assert scope == "s/"
    assert "s/part/w" in [op.name for op in graph.get_operations()]


def test_the_blocks_around_an_import_hold_for_its_ops(graph: td.Graph) -> None:
    first, anchor = mark("first"), td.constant(1, name="anchor")
    with graph.control_dependencies([first]), graph.device("/job:w/gpu:1"):
        td.import_graph_def(sums(), name="scoped")
    for name, device in (("x", "/job:w/device:GPU:1"), ("total", "/job:w/device:CPU:0")):
        op = graph.get_operation_by_name(f"scoped/{name}")
        assert (op.control_inputs, op.device) == ([first], device)
    with graph.colocate_with(anchor):
        td.import_graph_def(sums(), name="anchored")
    op = graph.get_operation_by_name("anchored/x")
    assert op.colocation_groups() == [b"loc:@anchor"]


def test_missing_attrs_take_their_defaults(graph: td.Graph) -> None:
    graph_def = td.GraphDef()
    graph_def.node.add(name="x", op="Placeholder").attr["dtype"].type = 1
    td.import_graph_def(graph_def, name="")
    assert graph.get_tensor_by_name("x:0").shape.rank is None


# input_map and return_elements -------------------------------------------------------------------


def test_tensors_are_mapped() -> None:
    a = td.placeholder(td.int32, [2], name="a")
    graph_def = sums()
    total, ends = td.import_graph_def(graph_def, {"x": a, "y:0": a}, ["total:0", "ends"]) or []
    assert isinstance(total, td.Tensor)
    assert isinstance(ends, td.Operation)
    assert total.op.inputs == (a, a)
    assert total.shape.as_list() == [2]
    assert run(total, {a: [1, 2]}).tolist() == [2, 4]


def test_one_output_and_control_inputs_are_mapped(graph: td.Graph) -> None:
    other = mark("other")
    graph_def = sums()
    graph_def.node.add(name="pick", op="ToyChecked", input=["ends:1"]).attr["T"].type = 3
    nine = td.constant(9)
    [pick, ends] = (
        td.import_graph_def(graph_def, {"ends:1": nine, "^mark": other}, ["pick:0", "ends"]) or []
    )
    assert isinstance(pick, td.Tensor)
    assert pick.op.inputs == (nine,)
    assert isinstance(ends, td.Operation)
    assert ends.control_inputs == [other]
    with td.Session() as session:
        feeds = {"import/x:0": [1], "import/y:0": [1]}
        assert marks_of(session, ends, feeds) == ["other"]


def test_a_mapped_input_may_be_absent_from_the_graph_def() -> None:
    graph_def = sums()
    del graph_def.node[0]
    a = td.constant([1, 2])
    [total] = td.import_graph_def(graph_def, {"x": a}, ["total:0"]) or []
    assert run(total, {"import/y:0": [5, 5]}).tolist() == [6, 7]


@pytest.mark.parametrize(
    ("input_map", "elements", "error", "text"),
    [
        ({"nosuch": 0}, None, (TypeError, ValueError), "nosuch"),
        ({"x:0": "not a tensor"}, None, ValueError, "must be int32, got string"),
        ({}, ["nosuch:0"], ValueError, "'nosuch:0'"),
        ({}, ["total:1"], ValueError, "'total:1'"),
        ({}, ["total:x"], ValueError, "'total:x'"),
    ],
)
def test_maps_and_elements_must_exist(
    graph: td.Graph, input_map: dict[str, Any], elements: Any, error: Any, text: str
) -> None:
    with pytest.raises(error, match=text):
        td.import_graph_def(sums(), input_map, elements)
    assert graph.get_operations() == []


def test_mapped_tensors_must_fit(graph: td.Graph) -> None:
    one, wrong_type, wrong_shape = td.constant([1]), td.constant([1.0]), td.constant([[1]])
    with td.Graph().as_default():
        foreign = td.constant([1])
    for wrong in (wrong_type, wrong_shape, foreign):
        with pytest.raises(ValueError, match=r"int32|rank|shape|graph"):
            td.import_graph_def(sums(), {"x": wrong, "y": one})
    assert len(graph.get_operations()) == 3


# What is refused ---------------------------------------------------------------------------------


def no_such_input(graph_def: td.GraphDef) -> None:
    node(graph_def, "total").input[1] = "nosuch"


def no_such_control(graph_def: td.GraphDef) -> None:
    node(graph_def, "ends").input[1] = "^nosuch"


def no_such_output(graph_def: td.GraphDef) -> None:
    node(graph_def, "ends").input[0] = "total:1"


def too_few(graph_def: td.GraphDef) -> None:
    del node(graph_def, "total").input[1]


def too_many(graph_def: td.GraphDef) -> None:
    node(graph_def, "total").input.append("x")


def control_first(graph_def: td.GraphDef) -> None:
    node(graph_def, "ends").input[:] = ["^mark", "total"]


def duplicate(graph_def: td.GraphDef) -> None:
    graph_def.node.add(name="total", op="NoOp")


def bad_name(graph_def: td.GraphDef) -> None:
    graph_def.node.add(name="_x", op="NoOp")


def no_name(graph_def: td.GraphDef) -> None:
    graph_def.node.add(op="NoOp")


def no_attr(graph_def: td.GraphDef) -> None:
    del node(graph_def, "x").attr["dtype"]


def wrong_attr(graph_def: td.GraphDef) -> None:
    node(graph_def, "total").attr["T"].i = 3


def attr_not_allowed(graph_def: td.GraphDef) -> None:
    node(graph_def, "total").attr["T"].type = 10


def wrong_dtype(graph_def: td.GraphDef) -> None:
    node(graph_def, "total").attr["T"].type = 1


def bad_shape(graph_def: td.GraphDef) -> None:
    node(graph_def, "x").attr["shape"].shape.dim[0].size = -5


def bad_rank(graph_def: td.GraphDef) -> None:
    del node(graph_def, "x").attr["shape"].shape.dim[:]
    del node(graph_def, "y").attr["shape"].shape.dim[:]


def shapes_do_not_fit(graph_def: td.GraphDef) -> None:
    node(graph_def, "x").attr["shape"].shape.dim[0].size = 2
    node(graph_def, "y").attr["shape"].shape.dim[0].size = 3


def cycle(graph_def: td.GraphDef) -> None:
    node(graph_def, "total").input[1] = "ends:1"


def control_cycle(graph_def: td.GraphDef) -> None:
    node(graph_def, "mark").input.append("^ends")


def own_input(graph_def: td.GraphDef) -> None:
    node(graph_def, "total").input[0] = "total"


def bad_device(graph_def: td.GraphDef) -> None:
    node(graph_def, "total").device = "nonsense"


def too_new(graph_def: td.GraphDef) -> None:
    graph_def.versions.min_consumer = 10**6


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (no_such_input, r"'total' \(ToyAdd\) has the input 'nosuch'"),
        (no_such_control, r"\^nosuch"),
        (no_such_output, r"'total:1'.*'total' has 1 output[^$]*in the node 'ends' \(ToyEnds\)"),
        (too_few, r"takes 2 inputs, got 1[^$]*'total'"),
        (too_many, "takes 2 inputs, got 3"),
        (control_first, "'total'.*after a control input"),
        (duplicate, "Duplicate name 'total'"),
        (bad_name, "'_x' is not a valid op name"),
        (no_name, "'' is not a valid op name"),
        (no_attr, r"needs the attr 'dtype'[^$]*'x'"),
        (wrong_attr, r"attr 'T' of ToyAdd: .*of kind type, got int[^$]*'total'"),
        (attr_not_allowed, "T must be one of .*got bool"),
        (wrong_dtype, r"must be float32, got int32 from '(import/)?x:0'"),
        (bad_shape, "-5"),
        (bad_rank, r"rank at least 1[^$]*'import/ends'"),
        (shapes_do_not_fit, r"must have the shape of x[^$]*'import/total'"),
        (cycle, "cycle: 'ends' -> 'total' -> 'ends'|cycle: 'total' -> 'ends' -> 'total'"),
        (control_cycle, "cycle: '(mark|ends)' -> '(mark|ends)' -> '(mark|ends)'"),
        (own_input, "cycle: 'total' -> 'total'"),
        (bad_device, "nonsense"),
        (too_new, "1000000"),
    ],
)
def test_a_malformed_graph_is_refused_whole(graph: td.Graph, spoil: Any, text: str) -> None:
    td.constant(1, name="before")
    before = graph.as_graph_def().SerializeToString(deterministic=True)
    graph_def = sums()
    spoil(graph_def)
    with pytest.raises(ValueError, match=text) as caught:
        td.import_graph_def(graph_def)
    assert not isinstance(caught.value, td.errors.OpError)
    assert graph.as_graph_def().SerializeToString(deterministic=True) == before
    td.import_graph_def(sums(), name="import/")  # no name has stayed taken
    assert run("import/ends:0", {"import/x:0": [1], "import/y:0": [2]}) == 3


def test_a_failed_import_frees_no_name_of_another_case(graph: td.Graph) -> None:
    td.constant(1, name="Total")
    graph_def = sums()
    no_attr(graph_def)
    with pytest.raises(ValueError, match="dtype"):
        td.import_graph_def(graph_def, name="")
    assert td.constant(1, name="total").name == "total_1:0"


@pytest.mark.parametrize("wrong", [None, b"", "graph.pb", td.NodeDef()])
def test_only_a_graph_def_is_imported(wrong: Any) -> None:
    with pytest.raises(TypeError, match="must be a GraphDef"):
        td.import_graph_def(wrong)


def test_a_long_chain_in_reverse_order_is_imported(graph: td.Graph) -> None:
    with td.Graph().as_default() as source:
        x = td.placeholder(td.int32, [], name="x")
        for _ in range(3000):
            x = CHECKED(x)
    graph_def = source.as_graph_def()
    nodes = list(graph_def.node)[::-1]
    del graph_def.node[:]
    graph_def.node.extend(nodes)
    [last] = td.import_graph_def(graph_def, return_elements=[x.name], name="") or []
    assert run(last, {"x:0": 7}) == 7
