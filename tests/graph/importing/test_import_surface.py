"""Imports as TensorFlow does them: unique names, unknown op types, versions."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from google.protobuf import text_format
from toy_ops import mark

import tensordraft as td


def graph_def(
    text: str, producer: int = td.GRAPH_DEF_VERSION, min_consumer: int = 0
) -> td.GraphDef:
    versions = f"versions {{ producer: {producer} min_consumer: {min_consumer} }}"
    return text_format.Parse(f"{versions} {text}", td.GraphDef())


PAIR = """
    node { name: 'A' op: 'NoOp' }
    node { name: 'B' op: 'NoOp' input: '^A' attr { key: '_class' value { list { s: 'loc:@A' } } } }
"""


def imported(text: str, name: str, elements: list[str]) -> list[td.Operation]:
    ops = td.import_graph_def(graph_def(text), name=name, return_elements=elements) or []
    return [op for op in ops if isinstance(op, td.Operation)]


def test_a_name_that_is_taken_gets_a_number(graph: td.Graph) -> None:
    for suffix in ("", "_1", "_2"):
        a, b = imported(PAIR, "", ["A", "B"])
        assert (a.name, b.name) == (f"A{suffix}", f"B{suffix}")
        assert b.control_inputs == [a]
        assert b.colocation_groups() == [f"loc:@A{suffix}".encode()]
    names = [[op.name for op in imported(PAIR, name, ["A", "B"])] for name in ("x", "x", "x/")]
    assert names == [["x/A", "x/B"], ["x_1/A", "x_1/B"], ["x/A_1", "x/B_1"]]


def test_the_number_makes_no_other_name_of_the_graph_def(graph: td.Graph) -> None:
    mark("A"), mark("s/inner"), mark("a")
    text = "".join(f"node {{ name: '{name}' op: 'NoOp' }}" for name in ("A", "A_1", "s", "S"))
    ops = imported(text, "", ["A", "A_1", "s", "S"])
    assert [op.name for op in ops] == ["A_2", "A_1", "s_1", "S"]  # s is a scope; S is none
    assert td.no_op(name="A").name == "A_3"


def test_an_import_that_fails_leaves_no_name_behind(graph: td.Graph) -> None:
    mark("A")
    before = graph.as_graph_def()
    broken = PAIR + "node { name: 'C' op: 'NoOp' input: '^nosuch' }"
    with pytest.raises(ValueError, match="nosuch"):
        td.import_graph_def(graph_def(broken, producer=20), name="")
    assert graph.as_graph_def() == before
    assert [op.name for op in imported(PAIR, "", ["A", "B"])] == ["A_1", "B"]


def test_ops_of_unknown_types_are_kept(graph: td.Graph) -> None:
    text = """
        node { name: 'x' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } }
               attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape {}
                                                    int_val: 4 } } } }
        node { name: 'odd' op: 'NoSuchOp' input: 'x' input: '^x' device: '/device:GPU:1'
               attr { key: 'T' value { type: DT_INT32 } } attr { key: 'own' value { s: 'text' } } }
        node { name: 'y' op: 'Neg' input: 'odd' attr { key: 'T' value { type: DT_INT32 } } }
        node { name: 'z' op: 'Neg' input: 'x' attr { key: 'T' value { type: DT_INT32 } } }
    """
    [odd, y, z] = imported(text, "in", ["odd", "y", "z"])
    assert (odd.name, odd.type, odd.outputs[0].dtype) == ("in/odd", "NoSuchOp", td.int32)
    assert odd.get_attr("own") == b"text"
    node = next(node for node in graph.as_graph_def().node if node.name == "in/odd")
    assert (list(node.input), node.device) == (["in/x", "^in/x"], "/device:GPU:1")
    with td.Session() as session:
        assert session.run(z.outputs[0]) == -4
        assert session.run(y.outputs[0], {odd.outputs[0]: 7}) == -7
        with pytest.raises(td.errors.OpError, match="NoSuchOp"):
            session.run(y.outputs[0])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([(20, 12)], (20, 12)),
        ([(27, td.GRAPH_DEF_VERSION)], (27, td.GRAPH_DEF_VERSION)),
        ([(20, 5), (2000, 12)], (20, 12)),
        ([(10**6, 0)], (td.GRAPH_DEF_VERSION, 0)),
    ],
)
def test_a_graph_has_the_versions_of_what_is_imported(
    graph: td.Graph, given: list[tuple[int, int]], expected: tuple[int, int]
) -> None:
    for producer, min_consumer in given:
        td.import_graph_def(graph_def("node { name: 'A' op: 'NoOp' }", producer, min_consumer))
    for versions in (graph.graph_def_versions, graph.as_graph_def().versions):
        assert (versions.producer, versions.min_consumer) == expected


def test_bad_consumers_add_up_and_no_versions_say_nothing(graph: td.Graph) -> None:
    for bad in ([7], [3, 7], []):
        message = graph_def("node { name: 'A' op: 'NoOp' }")
        message.versions.bad_consumers.extend(bad)
        td.import_graph_def(message)
    td.import_graph_def(text_format.Parse("node { name: 'A' op: 'NoOp' }", td.GraphDef()))
    assert list(graph.graph_def_versions.bad_consumers) == [3, 7]
    assert graph.graph_def_versions.producer == td.GRAPH_DEF_VERSION


def test_what_an_import_refuses_is_told_in_words_of_tensorflow(graph: td.Graph) -> None:
    text = "node { name: 'A' op: 'NoOp' }"
    for spoilt, elements, words in (
        (text + text, None, "Duplicate name 'A'"),
        (text, ["B"], "return_element 'B' not found in graph_def"),
        (text, ["A:1"], "return_element 'A:1' not found in graph_def"),
        (PAIR.replace("loc:@A", "loc:@C"), None, "'C', which does not exist"),
    ):
        with pytest.raises(ValueError, match=words):
            td.import_graph_def(graph_def(spoilt), return_elements=elements)
    with pytest.raises(TypeError, match="must be a GraphDef proto"):
        td.import_graph_def("")  # type: ignore[arg-type]
    assert graph.get_operations() == []


def test_a_meta_graph_is_imported_twice(graph: td.Graph, tmp_path: Path) -> None:
    path = os.fspath(tmp_path / "model")
    with td.Graph().as_default(), td.Session() as session:
        v = td.Variable([1.0, 2.0], name="v")
        td.add_to_collection("ends", td.multiply(v, 2.0, name="twice"))
        session.run(v.initializer)
        td.train.Saver().save(session, path)
    savers = [
        td.train.import_meta_graph(path + ".meta", import_scope=s) for s in ("", "", "s", "s")
    ]
    ends = td.get_collection("ends")
    assert [end.name for end in ends] == ["twice:0", "twice_1:0", "s/twice:0", "s_1/twice:0"]
    names = [v.name for v in td.global_variables()]
    assert names == ["v:0", "v_1:0", "s/v:0", "s_1/v:0"]
    with td.Session() as session:
        for number, saver in enumerate(savers):
            assert saver is not None
            with pytest.raises(td.errors.FailedPreconditionError):
                session.run(ends[number])
            saver.restore(session, path)
            assert np.array_equal(session.run(ends[number]), [2.0, 4.0])
