"""Large graph files: constants beside the message, the collector at rest, and progress."""

from __future__ import annotations

import gc
import io
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effort import examples as tries
from hypothesis import HealthCheck, given, strategies as st

import tensordraft as td
from tensordraft.formats import large_constants, message_files, model_files
from tensordraft.formats.large_constants import read_apart
from tensordraft.formats.message_files import parse_message
from tensordraft.formats.model_files import load_graph_def, read_model
from tensordraft.graph.importing.importer import import_whole
from tensordraft.model_files import loading
from tensordraft.runtime.gc_pause import collector


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes 16 bytes for a large constant, and any file for one that may hold some."""
    monkeypatch.setattr(large_constants, "LARGE", 16)
    monkeypatch.setattr(model_files, "_WORTH_A_LOOK", 0)


WEIGHTS = np.arange(6, dtype=np.float32).reshape(2, 3)
WORDS = [b"a longer word than sixteen bytes", b"b"]


def model() -> td.Graph:
    """A graph with large constants, small ones, and attrs and inputs behind them."""
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 2], name="x")
        with td.device("/cpu:0"):
            weights = td.constant(WEIGHTS, name="weights")
        with td.control_dependencies([x]):
            sizes = td.constant(np.array([3, 1, 2, 0], np.int64), name="sizes")
        td.add(td.matmul(x, weights), td.constant(1.0, name="one"), name="y")
        td.identity(sizes, name="z")
        td.constant(np.array(WORDS, object), name="words")
    return graph


def written(graph: td.Graph) -> bytes:
    return graph.as_graph_def().SerializeToString(deterministic=True)


def packed(words: list[bytes]) -> bytes:
    return bytes(map(len, words)) + b"".join(words)


def with_packed_words() -> bytes:
    """`model`, with its strings in the form that few write: as one piece of bytes."""
    graph_def = model().as_graph_def()
    tensor = graph_def.node[-1].attr["value"].tensor
    tensor.ClearField("string_val")
    tensor.tensor_content = packed(WORDS)
    return graph_def.SerializeToString(deterministic=True)


def apart(data: bytes) -> tuple[bytes, dict[str, memoryview]]:
    return read_apart(io.BytesIO(data), len(data))


# What is kept apart, and what comes of it --------------------------------------------------------


def test_large_constants_are_kept_apart_and_small_ones_are_not() -> None:
    data = with_packed_words()
    rest, constants = apart(data)
    assert {name: bytes(content) for name, content in constants.items()} == {
        "weights": WEIGHTS.tobytes(),
        "sizes": np.array([3, 1, 2, 0]).tobytes(),
        "words": packed(WORDS),
    }
    assert td.GraphDef.FromString(rest).ByteSize() == len(rest) < len(data)


def test_arrays_are_views_of_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "g.pb"
    path.write_bytes(with_packed_words())
    model = read_model(path)
    graph_def, contents = model.graph_def, model.contents
    graph = import_whole(graph_def, contents=contents)
    value = graph.get_operation_by_name("weights").attrs["value"]
    read = np.frombuffer(contents["weights"], np.float32)
    assert np.shares_memory(value.array, read)
    assert value.array.flags.aligned
    assert not value.array.flags.writeable
    path.write_bytes(b"")  # nothing is read later
    with td.Session(graph=graph) as session:
        y, weights, words = session.run(["y:0", "weights:0", "words:0"], {"x:0": [[1, 1]]})
    np.testing.assert_array_equal(y, [[4, 6, 8]])
    assert words.tolist() == WORDS
    weights += 1.0
    np.testing.assert_array_equal(value.array, WEIGHTS)


def test_what_is_loaded_is_written_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "g.pb"
    path.write_bytes(with_packed_words())
    plain = import_whole(load_graph_def(path))
    graph = td.load_graph(path)
    assert written(graph) == written(plain) == path.read_bytes()
    tensor = graph.get_operation_by_name("weights").get_attr("value")
    assert tensor.tensor_content == WEIGHTS.tobytes()
    assert str(td.check_graph(str(path))) == str(td.check_graph(plain))
    values = {fact.name: fact.value for fact in td.check_graph(path).tensors}
    np.testing.assert_array_equal(values["z:0"], [3, 1, 2, 0])


def test_content_that_does_not_fit_is_refused_when_it_is_used(tmp_path: Path) -> None:
    graph_def = model().as_graph_def()
    graph_def.node[1].attr["value"].tensor.tensor_content += b"more"
    path = td.save_graph(graph_def, tmp_path / "g.pb")
    graph = td.load_graph(path)
    with td.Session(graph=graph) as session:
        with pytest.raises(ValueError, match="tensor_content has 28 bytes; 6 elements of float32"):
            session.run("weights:0")
        assert session.run("one:0") == 1


def test_constants_beside_functions_stay_what_they_are(tmp_path: Path) -> None:
    graph_def = td.GraphDef.FromString(with_packed_words())
    function = graph_def.library.function.add()
    function.signature.name = "f"
    function.signature.input_arg.add(name="a", type=1)
    function.signature.output_arg.add(name="b", type=1)
    function.ret["b"] = "a"
    call = graph_def.node.add(name="call", op="PartitionedCall", input=["weights"])
    call.attr["f"].func.name = "f"
    for name in ("Tin", "Tout"):
        call.attr[name].list.type.append(1)
    graph = td.load_graph(td.save_graph(graph_def, tmp_path / "g.pb"))
    with td.Session(graph=graph) as session:
        np.testing.assert_array_equal(session.run("call:0"), WEIGHTS)


# Files that protobuf would not write so ----------------------------------------------------------


def field(tag: int, data: bytes) -> bytes:
    assert len(data) < 128
    return bytes([tag, len(data)]) + data


CONTENT = field(0x22, bytes(range(20)))
BYTES = bytes([0x08, 4]) + field(0x12, field(0x12, bytes([0x08, 20])))  # uint8, of 20 elements
KEY = field(0x0A, b"value")
DTYPE = field(0x2A, field(0x0A, b"dtype") + field(0x12, bytes([0x30, 4])))


def constant(tensor: bytes, *more: bytes, name: bytes = b"c") -> bytes:
    """A node that is a constant of uint8; `more` stands behind its attrs."""
    value = field(0x2A, KEY + field(0x12, field(0x42, BYTES + tensor)))
    return field(0x0A, b"".join([field(0x0A, name), field(0x12, b"Const"), DTYPE, value, *more]))


ATTR = field(0x12, field(0x42, BYTES + CONTENT))

UNUSUAL = {
    "key behind value": constant(b"", field(0x2A, ATTR + KEY)),
    "value twice": constant(CONTENT, field(0x2A, KEY + ATTR)),
    "small value last": constant(CONTENT, field(0x2A, KEY + field(0x12, field(0x42, BYTES)))),
    "content twice": constant(CONTENT + field(0x22, bytes(17))),
    "small content last": constant(CONTENT + field(0x22, b"\1")),
    "numbers beside": constant(CONTENT + field(0x3A, b"\1")),
    "other type last": constant(CONTENT, field(0x12, b"Identity")),
    "name last": constant(CONTENT, field(0x0A, b"d")),
    "no text": constant(CONTENT, field(0x0A, b"\xff")),
    "unknown fields": constant(CONTENT + b"\x98\x06\1\xa1\x06" + bytes(8) + b"\xa5\x06" + bytes(4)),
    "a group": constant(CONTENT + b"\x9b\x06\x9c\x06"),
    "a long tag": constant(b"\xa2\x80\x80\x80\0" + CONTENT[1:]),
    "too long a tag": constant(b"\xa2\x80\x80\x80\x80\0" + CONTENT[1:]),
    "a long length": constant(b"\x22\x94\x80\0" + CONTENT[2:]),
    "too long a length": constant(b"\x22\x94\x80\x80\x80\x80\0" + CONTENT[2:]),
    "field 0": constant(CONTENT + b"\0\0"),
    "two of a name": constant(CONTENT) + constant(field(0x22, bytes(20))),
    "not a tensor": constant(b"", field(0x2A, KEY + field(0x12, field(0x12, bytes(20))))),
    "cut off": constant(CONTENT)[:-1],
    "cut off in a number": constant(CONTENT) + b"\x0a\x80",
    "beyond its message": field(0x0A, constant(CONTENT)[2:] + b"\x22\x7f"),
}


def outcome(data: bytes, contents: dict[str, memoryview] | None = None) -> Any:
    """The graph that is loaded, as bytes, with its constants; or the class of the error.

    The texts of errors are protobuf's own where it is the reader, and differ by its version.
    """
    try:
        graph = import_whole(parse_message(td.GraphDef, data, "g.pb"), contents=contents)
    except (td.errors.DataLossError, ValueError) as error:
        return type(error)
    values = []
    for op in graph.get_operations():
        try:
            values.append(op.attrs["value"].array.tolist() if op.type == "Const" else None)
        except ValueError as error:
            values.append(str(error))
    return written(graph), values


@pytest.mark.parametrize("data", UNUSUAL.values(), ids=UNUSUAL.keys())
def test_unusual_files_are_read_as_protobuf_reads_them(data: bytes) -> None:
    assert outcome(*apart(data)) == outcome(data)
    assert outcome(*apart(data + with_packed_words())) == outcome(data + with_packed_words())


MODEL = with_packed_words()


@tries(300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    changes=st.lists(st.tuples(st.integers(0, len(MODEL) - 1), st.integers(0, 255)), max_size=4),
    stop=st.one_of(st.just(len(MODEL)), st.integers(0, len(MODEL))),
)
def test_mutated_files_are_read_as_protobuf_reads_them(
    changes: list[tuple[int, int]], stop: int
) -> None:
    data = bytearray(MODEL)
    for position, value in changes:
        data[position] = value
    assert outcome(*apart(bytes(data[:stop]))) == outcome(bytes(data[:stop]))


class Shrinking(io.BytesIO):
    """A file that is cut short while it is read."""

    def readinto(self, buffer: Any) -> int:
        self.truncate(len(MODEL) // 2)
        return super().readinto(buffer)


def test_a_file_that_shrinks_is_read_as_it_is_then() -> None:
    rest, constants = read_apart(Shrinking(MODEL), len(MODEL))
    assert (rest, constants) == (MODEL[: len(MODEL) // 2], {})


def test_too_little_memory_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: Any, **__: Any) -> Any:
        raise MemoryError

    path = td.save_graph(model(), tmp_path / "g.pb")
    steps = [(loading, "import_whole"), (model_files, "parse_message")]
    for module, step in [*steps, (model_files, "read_apart")]:
        monkeypatch.setattr(module, step, exhausted)
        with pytest.raises(td.errors.ResourceExhaustedError, match=r"g\.pb' takes more memory"):
            td.load_graph(path)


def test_what_nobody_could_read_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_files, "_MOST_BYTES", model().as_graph_def().ByteSize() - 1)
    with pytest.raises(ValueError, match="the GraphDef is larger than 2 GiB"):
        td.save_graph(model(), tmp_path / "g.pb")
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(message_files, "_MOST_BYTES", model().as_graph_def().ByteSize())
    assert td.load_graph(td.save_graph(model(), tmp_path / "g.pb")).version == 8


# Progress ----------------------------------------------------------------------------------------


def test_progress_is_told(tmp_path: Path) -> None:
    path = td.save_graph(model(), tmp_path / "g.pb")
    size = Path(path).stat().st_size
    reports: list[tuple[str, int, int]] = []
    td.load_graph(path, progress=lambda *report: reports.append(report))
    assert [what for what, _, _ in reports] == ["bytes"] * 3 + ["nodes"] * 2
    assert 0 == reports[0][1] < reports[1][1] < reports[2][1] < size == reports[0][2]
    assert reports[3][1:] == reports[4][1:] == (0, 8)


# The collector -----------------------------------------------------------------------------------


@pytest.fixture
def enabled() -> Iterator[None]:
    assert gc.isenabled()
    yield
    gc.enable()


@pytest.mark.usefixtures("enabled")
def test_the_collector_rests_and_wakes() -> None:
    with collector.at_rest(1):
        assert not gc.isenabled()
        with collector.at_rest(1):
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="no"), collector.at_rest(100_000):
        raise ValueError("no")
    assert gc.isenabled()


@pytest.mark.usefixtures("enabled")
def test_a_collector_that_is_off_stays_off() -> None:
    gc.disable()
    with collector.at_rest(1):
        assert not gc.isenabled()
    assert not gc.isenabled()


@pytest.mark.usefixtures("enabled")
def test_the_collector_wakes_when_the_last_thread_is_done() -> None:
    inside, leave = threading.Event(), threading.Event()

    def rest() -> None:
        with collector.at_rest(1):
            inside.set()
            leave.wait(60)

    other = threading.Thread(target=rest)
    with collector.at_rest(1):
        other.start()
        assert inside.wait(60)
    assert not gc.isenabled()
    leave.set()
    other.join()
    assert gc.isenabled()


@pytest.mark.usefixtures("enabled")
def test_graphs_that_nobody_holds_are_collected_after_many_nodes() -> None:
    class Held:
        freed = 0

        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            Held.freed += 1

    for _ in range(5):
        Held()
        with collector.at_rest(60_000):
            pass
    assert Held.freed >= 3
