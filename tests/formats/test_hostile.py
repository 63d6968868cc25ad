"""Malformed graph files: whatever the bytes, the outcome is one of our errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from effort import examples as tries
from hostile_files import LeakError, drive, drive_graph_def
from hypothesis import HealthCheck, given, strategies as st
from places import GOLDEN

import tensordraft as td
from tensordraft.formats.message_files import parse_message
from tensordraft.formats.model_files import load_graph_def
from tensordraft.graph.importing.importer import import_whole
from tensordraft.graph.registry import definitions

FILES = GOLDEN / "files"
OP_TYPES = sorted(definition.name for definition in definitions())
SLOW = tries(150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def built_graph() -> bytes:
    """A graph with many kinds of attrs, inputs and constants."""
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 4], name="x")
        y = td.reshape(x * [1.0, 2.0, 3.0, 4.0], [-1, 2], name="y")
        with td.name_scope("ends"), td.device("/cpu:0"), td.control_dependencies([y]):
            parts = td.split(y, 2, 1)
            td.concat([parts[0], td.slice(parts[1], [0, 0], [1, -1])], 0, name="all")
            td.constant([b"text", b""], name="words")
            td.cast(td.shape(x), td.int64)
    return graph.as_graph_def().SerializeToString(deterministic=True)


SEEDS = [built_graph(), (FILES / "functions.pb").read_bytes()]

edits = st.lists(
    st.tuples(st.integers(0, 4000), st.sampled_from("fids"), st.integers(0, 255)),
    min_size=1,
    max_size=6,
)


def mutated(data: bytes, changes: list[tuple[int, str, int]]) -> bytes:
    """`data` with bytes flipped, inserted, deleted, or spans swapped for copies of others."""
    result = bytearray(data)
    for position, kind, value in changes:
        at = position % max(len(result), 1)
        if kind == "f":
            result[at : at + 1] = bytes([value])
        elif kind == "i":
            result[at:at] = bytes([value])
        elif kind == "d":
            del result[at : at + 1 + value % 8]
        else:
            result[at : at + value] = result[value : value + value]
    return bytes(result)


@SLOW
@given(seed=st.sampled_from(SEEDS), changes=edits)
def test_mutated_bytes_are_read_or_refused(
    seed: bytes, changes: list[tuple[int, str, int]]
) -> None:
    drive(mutated(seed, changes))


@tries(50)
@given(data=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    drive(data)


sizes = st.one_of(st.integers(-2, 5), st.sampled_from([2**31 - 1, 2**31, 2**62, -(2**63)]))
shapes = st.builds(
    td.TensorShapeProto,
    dim=st.lists(st.builds(td.TensorShapeProto.Dim, size=sizes), max_size=4),
    unknown_rank=st.booleans(),
)
tensors = st.builds(
    td.TensorProto,
    dtype=st.integers(0, 26),
    tensor_shape=shapes,
    tensor_content=st.binary(max_size=24),
    float_val=st.lists(st.floats(width=32), max_size=3),
    int_val=st.lists(st.integers(-(2**31), 2**31 - 1), max_size=3),
)
# Mostly what is legal somewhere, so that more than the reader of attrs is reached.
types = st.one_of(st.sampled_from([1, 3, 9, 7, 10]), st.integers(0, 130))
items: dict[str, st.SearchStrategy[Any]] = {
    "s": st.binary(max_size=6),
    "i": sizes,
    "f": st.floats(width=32),
    "b": st.booleans(),
    "type": types,
    "shape": shapes,
    "tensor": tensors,
}
FIELD_OF_KIND = {"string": "s", "int": "i", "float": "f", "bool": "b"}


@st.composite
def graph_defs(draw: st.DrawFn) -> td.GraphDef:
    """A GraphDef of known op types, whose attrs and inputs are mostly of the right kind."""
    graph_def = td.GraphDef()
    by_name = {definition.name: definition for definition in definitions()}
    for number in range(draw(st.integers(1, 6))):
        op_type = draw(st.sampled_from(OP_TYPES))
        node = graph_def.node.add(name=f"n{number}", op=op_type)
        signature = by_name[op_type].signature
        for _ in range(len(signature.inputs)):
            source = draw(st.integers(0, max(number - 1, 0)))
            node.input.append(f"n{source}:{draw(st.sampled_from([0, 0, 0, 1]))}")
        for spec in signature.attrs.values():
            if draw(st.booleans()) and draw(st.booleans()):
                continue
            field = FIELD_OF_KIND.get(spec.item_kind, spec.item_kind)
            if draw(st.integers(0, 15)) == 0:
                field = draw(st.sampled_from(sorted(items)))
            if field not in items:
                continue
            value = draw(items[field])
            if spec.kind.startswith("list("):
                node.attr[spec.name].CopyFrom(td.AttrValue(list={field: [value]}))
            else:
                node.attr[spec.name].CopyFrom(td.AttrValue(**{field: value}))
    return graph_def


@SLOW
@given(graph_def=graph_defs())
def test_random_nodes_are_taken_or_refused(graph_def: td.GraphDef) -> None:
    drive_graph_def(graph_def)


def test_the_judge_knows_a_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaking_kernel(_: Any) -> Any:
        nothing: dict[str, Any] = {}
        return nothing["missing"]

    definition = next(item for item in definitions() if item.name == "Neg")
    monkeypatch.setattr(definition, "kernel_factory", leaking_kernel)
    with pytest.raises(LeakError):
        drive_graph_def(negation())


def negation() -> td.GraphDef:
    with td.Graph().as_default() as graph:
        td.negative(td.constant(1.0, name="x"), name="y")
    return graph.as_graph_def()


@pytest.mark.parametrize("name", ["a:0", "^a", "a b", "", "/a", "\u00e9"])
def test_names_are_checked_everywhere(name: str) -> None:
    graph_def = negation()
    graph_def.node[0].name = name
    graph_def.node[1].input[0] = name
    drive_graph_def(graph_def)
    with pytest.raises(ValueError, match="is not a valid op name"):
        td.import_graph_def(graph_def)


def test_a_broken_file_is_data_loss(tmp_path: Path) -> None:
    path = tmp_path / "graph.pb"
    path.write_bytes(b"\x0a\xff\xff")
    with pytest.raises(td.errors.DataLossError, match=r"graph\.pb is not a GraphDef"):
        load_graph_def(path)
    deep = b"node { attr { key: 'a' value { func { attr { key: 'a' value { " * 300
    with pytest.raises(td.errors.DataLossError):
        parse_message(td.GraphDef, deep, "deep.pbtxt", as_text=True)
    with pytest.raises(td.errors.DataLossError, match="utf-8"):
        parse_message(td.GraphDef, b"\xff\xfe", "text.pbtxt", as_text=True)
    with pytest.raises(td.errors.NotFoundError, match="nowhere"):
        load_graph_def(tmp_path / "nowhere.pb")


def test_the_number_of_nodes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(td.config, "max_graph_nodes", 1)
    with pytest.raises(ValueError, match=r"2 nodes, more than td\.config\.max_graph_nodes = 1"):
        td.import_graph_def(negation())


def test_the_number_of_tensors_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(td.config, "max_graph_tensors", 10)
    with td.Graph().as_default() as graph:
        x = td.constant([0.0] * 4, name="x")
        for i in range(3):
            td.split(x, 4, 0, name=f"y_{i}")
    with pytest.raises(ValueError, match=r"11 tensors as far as 'y_1' \(Split\), more than td\."):
        td.import_graph_def(graph.as_graph_def())


@pytest.mark.parametrize("output", [1_000_000, 999_999_999])
def test_outputs_that_only_their_readers_know_are_bounded(output: int) -> None:
    graph_def = td.GraphDef()
    graph_def.node.add(name="odd", op="NoSuchOp").attr["T"].type = 1
    graph_def.node.add(name="y", op="Identity", input=[f"odd:{output}"]).attr["T"].type = 1
    message = rf"{output + 1} outputs are more than td\.config\.max_op_tensors"
    with pytest.raises(ValueError, match=message):
        import_whole(graph_def)
    assert message.replace("\\", "") in td.check_graph(graph_def).errors[0]


def test_many_malformed_nodes_are_told_one_by_one() -> None:
    graph_def = td.GraphDef()
    for i in range(3000):  # each a fault of its own, which must not cost a look at all the others
        graph_def.node.add(name=f"n{i}", op="Neg", input=[f"n{i - 1}" if i else "n2999:1"])
    graph_def.node[0].input[:] = []
    assert len(td.check_graph(graph_def).errors) == 3000


def test_the_number_of_outputs_is_bounded() -> None:
    with td.Graph().as_default() as graph:
        td.split(td.constant([1.0, 2.0]), 2, 0, name="y")
    graph_def = graph.as_graph_def()
    graph_def.node[-1].attr["num_split"].i = 2**62
    with (
        td.Graph().as_default(),
        pytest.raises(ValueError, match=r"num_split = .* is more than td\.config\.max_op_tensors"),
    ):
        td.import_graph_def(graph_def)


def with_constant(shape: list[int]) -> td.GraphDef:
    """A graph of an empty constant of this shape, and an op that reads it."""
    graph_def = td.GraphDef()
    node = graph_def.node.add(name="x", op="Const")
    node.attr["dtype"].type = 3
    node.attr["value"].tensor.dtype = 3
    for size in shape:
        node.attr["value"].tensor.tensor_shape.dim.add(size=size)
    reader = graph_def.node.add(name="y", op="Neg", input=["x"])
    reader.attr["T"].type = 3
    return graph_def


@pytest.mark.parametrize("shape", [[2**31, 0], [0, 2**31, 2**31], [2**40, 0, 3], [1] * 40])
def test_what_is_empty_may_be_long(shape: list[int]) -> None:
    graph_def = with_constant(shape)
    drive_graph_def(graph_def)
    assert td.check_graph(graph_def).to_json()


@pytest.mark.parametrize(
    ("name", "is_legal"),
    [("a>b", True), ("a/>b", True), (".a", True), ("a>", False), ("a>/b", False), ("a\\b", False)],
)
def test_names_are_those_of_the_importer_of_tensorflow(name: str, is_legal: bool) -> None:
    graph_def = td.GraphDef()
    graph_def.node.add(name=name, op="NoOp")
    with td.Graph().as_default():
        if is_legal:
            td.import_graph_def(graph_def)
        else:
            with pytest.raises(ValueError, match="is not a valid op name"):
                td.import_graph_def(graph_def)


@pytest.mark.parametrize(
    "device",
    [
        "/cpu:0/gpu:0",
        "/device:CPU",
        "/device:CPU:-1",
        "/task:x",
        "/job:",
        "/job:1",
        "/replica:*",
        "/job:a/job:b",
        "/device:CPU:0:1",
        "/device:\u00e9:0",
        "/cpu:\u0661",
        "/xpu:0",
    ],
)
def test_devices_are_checked(device: str) -> None:
    graph_def = negation()
    graph_def.node[0].device = device
    with pytest.raises(ValueError, match="device string"):
        td.import_graph_def(graph_def)


def test_text_is_nested_no_deeper_than_bytes(tmp_path: Path) -> None:
    path = tmp_path / "graph.pbtxt"
    for depth, is_legal in ((20, True), (50, False)):
        inner = "func { name: 'f' attr { key: 'x' value { " * depth + "i: 1" + " } } }" * depth
        path.write_text(f"node {{ name: 'a' op: 'NoOp' attr {{ key: 'x' value {{ {inner} }} }} }}")
        if is_legal:
            load_graph_def(path)
        else:
            with pytest.raises(td.errors.DataLossError, match="is not a GraphDef"):
                load_graph_def(path)
