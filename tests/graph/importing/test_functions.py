"""Functions in graph files: calls give way to what they stand for."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from places import GOLDEN

import tensordraft as td
from tensordraft.graph.importing.function_inlining import inline_functions
from tensordraft.protos.messages import FunctionDef

pytestmark = pytest.mark.usefixtures("graph")
FILES = GOLDEN / "files"


def function(name: str, *nodes: tuple[str, str, list[str]], ret: str = "") -> FunctionDef:
    """A function of one float `x`, whose nodes are all of float; `ret` is its result."""
    result = FunctionDef()
    result.signature.name = name
    result.signature.input_arg.add(name="x", type=1)
    if ret:
        result.signature.output_arg.add(name="y", type=1)
        result.ret["y"] = ret
    for node_name, op, inputs in nodes:
        node = result.node_def.add(name=node_name, op=op, input=inputs)
        if op == "PartitionedCall":
            node.attr["f"].func.name = node_name.rstrip("0123456789_")
            data = [text for text in inputs if not text.startswith("^")]
            node.attr["Tin"].list.type.extend([1] * len(data))
            node.attr["Tout"].list.type.append(1)
        else:
            node.attr["T"].type = 1
    return result


def calling(*functions: FunctionDef, name: str = "f") -> td.GraphDef:
    """A GraphDef in which `call` is `f(x)`."""
    with td.Graph().as_default() as graph:
        td.placeholder(td.float32, [], name="x")
    graph_def = graph.as_graph_def()
    node = graph_def.node.add(name="call", op="PartitionedCall", input=["x"])
    node.attr["f"].func.name = name
    node.attr["Tin"].list.type.append(1)
    node.attr["Tout"].list.SetInParent()
    for called in [item for item in functions if item.signature.name == name][:1]:
        node.attr["Tout"].list.type.extend([arg.type for arg in called.signature.output_arg])
    graph_def.library.function.extend(functions)
    return graph_def


SQUARE = ("square", "Mul", ["x", "x"])


def test_a_graph_of_tensorflow_with_functions_runs() -> None:
    graph = td.load_graph(FILES / "functions.pb")
    fetches = ["Identity:0", "Identity_1:0", "Identity_2:0"]
    with td.Session(graph=graph) as session:
        half, total, unique = session.run(fetches, {"x:0": [[1.0, 2.0], [3.0, 3.0]]})
    np.testing.assert_array_equal(half, [[10], [14]])
    np.testing.assert_array_equal(total, [[8, 14], [20, 20]])
    np.testing.assert_array_equal(unique, [3, 5, 7])
    assert not graph.library.function


def test_names_lead_back_to_the_call(graph: td.Graph) -> None:
    td.import_graph_def(calling(function("f", SQUARE, ret="square:z:0")), name="")
    assert [op.name for op in graph.get_operations()] == ["x", "call/square", "call"]
    with td.Session() as session:
        assert session.run("call:0", {"x:0": 3.0}) == 9


def test_functions_call_functions(graph: td.Graph) -> None:
    outer = function("f", ("g", "PartitionedCall", ["x"]), ret="g:output:0")
    td.import_graph_def(calling(outer, function("g", SQUARE, ret="square:z:0")), name="")
    assert "call/g/square" in [op.name for op in graph.get_operations()]
    with td.Session() as session:
        assert session.run("call:0", {"x:0": 3.0}) == 9


def test_a_call_by_name_and_attrs_of_the_call() -> None:
    body = function("Twice", ("sum", "AddV2", ["x", "x"]), ret="sum:z:0")
    body.node_def[0].attr["T"].placeholder = "T"
    body.signature.attr.add(name="T", type="type")
    graph_def = calling(body, name="Twice")
    graph_def.node[-1].op = "Twice"
    del graph_def.node[-1].attr["f"]
    graph_def.node[-1].attr["T"].type = 1
    assert inline_functions(graph_def).node[1].attr["T"].type == 1
    del graph_def.node[-1].attr["T"]
    with pytest.raises(ValueError, match=r"calls 'Twice': the call does not set the attr 'T'"):
        inline_functions(graph_def)


def test_control_inputs_go_through(graph: td.Graph) -> None:
    inner = function("f", SQUARE, ("late", "Neg", ["square:z:0"]), ret="square:z:0")
    inner.control_ret["late"] = "late"
    graph_def = calling(inner)
    graph_def.node.add(name="first", op="NoOp")
    graph_def.node[-2].input.append("^first")
    td.import_graph_def(graph_def, name="")
    controls = {
        op.name: [control.name for control in op.control_inputs] for op in graph.get_operations()
    }
    assert controls["call/square"] == ["first"]
    assert controls["call/late"] == []
    assert controls["call"] == ["call/late", "first"]


def test_recursion_is_refused_with_its_cycle() -> None:
    f = function("f", ("g", "PartitionedCall", ["x"]), ret="g:output:0")
    g = function("g", ("f", "PartitionedCall", ["x"]), ret="f:output:0")
    with pytest.raises(
        ValueError, match=r"functions form a cycle: '(f' -> 'g' -> 'f|g' -> 'f' -> 'g)'"
    ):
        td.import_graph_def(calling(f, g))


def test_growth_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = "fghijklmnopqrstuvw"
    chain = [
        function(
            name,
            (f"{inner}1", "PartitionedCall", ["x"]),
            (f"{inner}2", "PartitionedCall", ["x"]),
            ret=f"{inner}2:output:0",
        )
        for name, inner in pairwise(letters)
    ]
    chain.append(function(letters[-1], SQUARE, ret="square:z:0"))
    monkeypatch.setattr(td.config, "max_nesting", 10)
    with pytest.raises(ValueError, match=r"more than td\.config\.max_nesting = 10"):
        inline_functions(calling(*chain))
    monkeypatch.setattr(td.config, "max_nesting", 100)
    monkeypatch.setattr(td.config, "max_graph_nodes", 100_000)
    with pytest.raises(ValueError, match=r"nodes with its functions inlined, more than td\.config"):
        inline_functions(calling(*chain))


def with_attr_twice() -> td.GraphDef:
    graph_def = calling(function("f", SQUARE))
    for _ in range(2):
        graph_def.library.function[0].signature.attr.add(name="T", type="type")
    return graph_def


@pytest.mark.parametrize(
    ("spoiled", "text"),
    [
        (calling(), "calls 'f', which is not in the library"),
        (
            calling(function("f", SQUARE), function("f", ("a", "Neg", ["x"]))),
            "two functions are named 'f'",
        ),
        (with_attr_twice(), "the function 'f' has two attrs named 'T'"),
        (calling(function("Neg", SQUARE), name="Neg"), "'Neg', which is the name of an op type"),
        (calling(function("f", SQUARE, ret="nothing:z:0")), "'nothing:z:0' names nothing"),
        (calling(function("f", SQUARE, ret="square:odd:0")), "'square:odd:0' names nothing"),
        (calling(function("f", ("a", "Neg", ["^no"]), ret="a:y:0")), "'\\^no' names nothing"),
    ],
)
def test_malformed_functions_are_refused(spoiled: td.GraphDef, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        td.import_graph_def(spoiled)


def test_a_call_with_too_few_inputs_is_refused() -> None:
    graph_def = calling(function("f", SQUARE, ret="square:z:0"))
    del graph_def.node[-1].input[:]
    with pytest.raises(ValueError, match="the function takes 1 input, got 0"):
        td.import_graph_def(graph_def)


def test_what_cannot_be_inlined_stays_with_its_function(tmp_path: Path) -> None:
    body = function(
        "f", ("odd", "NoSuchOp", ["x"]), ("sum", "AddV2", ["odd:a:0", "odd:b:0"]), ret="sum:z:0"
    )
    path = td.save_graph(calling(body), tmp_path / "g.pb")
    graph = td.load_graph(path)
    assert graph.get_operation_by_name("call").type == "PartitionedCall"
    assert [item.signature.name for item in graph.as_graph_def().library.function] == ["f"]
    with (
        pytest.raises(td.errors.UnimplementedError, match="PartitionedCall"),
        td.Session(graph=graph) as session,
    ):
        session.run("call:0", {"x:0": 1.0})


def one_call(ret: str = "n:y:0", text: str = "x") -> td.GraphDef:
    """A GraphDef in which `call` is `f(x)`, and `f` negates its argument `x`."""
    return calling(function("f", ("n", "Neg", [text]), ret=ret))


def body(graph_def: td.GraphDef) -> Any:
    return graph_def.library.function[0]


def test_what_a_call_states_must_fit_its_function() -> None:
    td.import_graph_def(one_call())
    for attr, types in (("Tin", []), ("Tin", [1, 1]), ("Tin", [3]), ("Tout", [3]), ("Tout", [])):
        graph_def = one_call()
        graph_def.node[-1].attr[attr].list.type[:] = types
        with pytest.raises(ValueError, match=rf"{attr} must be the types \(float32\), got \("):
            td.import_graph_def(graph_def)
    graph_def = one_call()
    del graph_def.node[-1].attr["Tin"]
    with pytest.raises(ValueError, match=r"Tin must be the types \(float32\), got nothing"):
        td.import_graph_def(graph_def)


def test_arguments_have_one_type() -> None:
    graph_def = one_call()
    body(graph_def).signature.input_arg[0].ClearField("type")
    with pytest.raises(ValueError, match="argument or result 'x' has no type"):
        td.import_graph_def(graph_def)
    graph_def = one_call()
    body(graph_def).signature.output_arg[0].is_ref = True
    with pytest.raises(ValueError, match="argument or result 'y' is a reference"):
        td.import_graph_def(graph_def)
    graph_def = one_call()
    body(graph_def).signature.input_arg[0].type = 3
    graph_def.node[-1].attr["Tin"].list.type[:] = [3]
    with pytest.raises(ValueError, match="'n' reads the argument 'x', a int32, as float32"):
        td.import_graph_def(graph_def)
    graph_def = one_call()
    body(graph_def).signature.input_arg.add().CopyFrom(body(graph_def).signature.input_arg[0])
    graph_def.node[-1].input.append("x")
    with pytest.raises(ValueError, match="two have the same name"):
        td.import_graph_def(graph_def)


@pytest.mark.parametrize("text", ["x:1", "x:0:0", "x:a", "", ":0", "^"])
def test_an_argument_is_one_tensor(text: str) -> None:
    td.import_graph_def(one_call(text="x:0"))
    with pytest.raises(ValueError, match="names nothing"):
        td.import_graph_def(one_call(text=text))


@pytest.mark.parametrize("ret", ["n:y:1_0", "n:y:\u0661", "n:y:-1", "n:y:999999999", "n"])
def test_a_result_is_named_by_node_output_and_number(ret: str) -> None:
    with pytest.raises(ValueError, match="names nothing"):
        td.import_graph_def(one_call(ret=ret))


def test_nodes_of_a_function_may_not_be_nameless() -> None:
    graph_def = one_call(ret=":y:0")
    body(graph_def).node_def[0].name = ""
    body(graph_def).node_def[0].input[0] = ""
    with pytest.raises(ValueError, match=r"in which .. names nothing"):
        td.import_graph_def(graph_def)


def test_a_function_may_be_there_twice(graph: td.Graph) -> None:
    graph_def = one_call()
    graph_def.library.function.add().CopyFrom(body(graph_def))
    td.import_graph_def(graph_def, name="")
    assert graph.get_tensor_by_name("call:0").shape.as_list() == []


def test_gradients_of_functions_have_an_end() -> None:
    graph_def = one_call()
    graph_def.library.gradient.add(function_name="f", gradient_func="f")
    with pytest.raises(ValueError, match="the gradients form a cycle: 'f' -> 'f'"):
        td.import_graph_def(graph_def)


def test_functions_of_two_files_must_agree(graph: td.Graph) -> None:
    first = calling(function("f", SQUARE, ret="square:z:0"))
    first.node[-1].op = "Identity"
    first.node[-1].attr["T"].type = 1
    td.import_graph_def(first)
    td.import_graph_def(first)
    assert len(graph.library.function) == 1
    second = calling(function("f", ("a", "Neg", ["x"]), ret="a:y:0"))
    second.node[-1].CopyFrom(first.node[-1])
    version = graph.version
    with pytest.raises(ValueError, match="another function named 'f'"):
        td.import_graph_def(second)
    assert graph.version == version


def test_a_failed_import_leaves_no_functions_behind() -> None:
    with td.Graph().as_default() as source:
        n = td.placeholder(td.int32, [], name="n")
        i, _ = td.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 2), [td.constant(0), n])
        td.identity(i, name="out")
    graph_def = source.as_graph_def()
    broken = td.GraphDef()
    broken.CopyFrom(graph_def)
    broken.node.add(name="bad", op="Identity", input=["out", "out"]).attr["T"].type = 3
    with td.Graph().as_default() as graph:
        with pytest.raises(ValueError, match="bad"):
            td.import_graph_def(broken, name="")
        assert (graph.get_operations(), len(graph.library.function)) == ([], 0)
        assert (dict(graph.functions), dict(graph.bodies)) == ({}, {})
        td.import_graph_def(graph_def, name="")
    with td.Session(graph=graph) as session:
        assert session.run("out:0", {"n:0": 4}) == 4


def test_attrs_that_are_left_out_have_their_defaults() -> None:
    """TensorFlow leaves out of a saved model what has its default, be it how many results."""
    function = FunctionDef()
    function.signature.name = "f"
    function.signature.input_arg.add(name="x", type=7)
    function.signature.output_arg.add(name="y", type=9)
    function.ret["y"] = "parse:feature_list_ragged_inner_splits:0"
    none, key = "none:output:0", "key:output:0"
    for name, value in (("none", []), ("key", [b"r"]), ("lacking", np.zeros(0, bool))):
        const = function.node_def.add(name=name, op="Const")
        array = np.array(value, object) if isinstance(value, list) else value
        const.attr["value"].tensor.CopyFrom(td.make_tensor_proto(array))
        const.attr["dtype"].type = const.attr["value"].tensor.dtype
    inputs = ["x", none, none, none, none, none, none, key, "lacking:output:0"]
    parse = function.node_def.add(name="parse", op="ParseSequenceExampleV2", input=inputs)
    parse.attr["feature_list_ragged_value_types"].list.type.append(9)
    parse.attr["feature_list_ragged_split_types"].list.type.append(9)
    graph_def = td.GraphDef()
    graph_def.library.function.append(function)
    message = td.train.SequenceExample()
    for numbers in ([1, 2], [3]):
        step = message.feature_lists.feature_list["r"].feature.add()
        step.int64_list.value.extend(numbers)
    x = graph_def.node.add(name="x", op="Const")
    x.attr["value"].tensor.CopyFrom(td.make_tensor_proto([message.SerializeToString()]))
    x.attr["dtype"].type = 7
    call = graph_def.node.add(name="call", op="PartitionedCall", input=["x"])
    call.attr["f"].func.name = "f"
    call.attr["Tin"].list.type.append(7)
    call.attr["Tout"].list.type.append(9)
    td.import_graph_def(graph_def, name="")
    with td.Session() as session:
        assert session.run("call:0").tolist() == [0, 2, 3]
