"""Sessions for graphs that are not trusted: whatever touches files is refused before it runs."""

from __future__ import annotations

import dis
import inspect
import types
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import tensordraft as td
from tensordraft.graph import registry
from tensordraft.graph.importing.function_bodies import ops_within
from tensordraft.graph.side_effects import touches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TOUCHING_MODULES = {"gzip", "glob", "shutil", "socket", "subprocess", "tempfile"}
PURE = {f"os.{name}" for name in ("fsdecode", "fsencode", "environ", "getcwd", "path")}
PURE |= {f"os.path.{name}" for name in ("join", "basename", "dirname", "abspath", "splitext")}
PURE |= {"glob.escape"}


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def names_used(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """References in a function's code: dotted names, and their objects."""
    for code in codes(function.__code__):
        name, value = "", None
        for step in dis.get_instructions(code):
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                name, value = step.argval, function.__globals__.get(step.argval)
            elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and name:
                is_module = isinstance(value, types.ModuleType)
                name = f"{name}.{step.argval}" if is_module else ""
                value = getattr(value, step.argval, None) if is_module else None
            else:
                name = ""
            if name:
                yield name, value
    for cell in function.__closure__ or ():
        if cell.cell_contents is not function:
            yield "", cell.cell_contents


def opens_files(name: str, value: Any) -> bool:
    """Returns whether a name is that of a function that opens a path, or of such a module."""
    if name in ("open", "io.open"):
        return value is None or value is open
    if name in PURE or not name:
        return False
    if (getattr(value, "__module__", None) or "").partition(".")[0] == "pathlib":
        return True
    module, _, rest = name.partition(".")
    return bool(rest) and (module == "os" or module in TOUCHING_MODULES)


class Reach:
    """Functions that reach one that opens a path, by references in their code."""

    def __init__(self) -> None:
        self.parts: dict[int, tuple[bool, list[Any]]] = {}

    def look(self, value: Any) -> tuple[bool, list[Any]]:
        """Returns whether a function opens a path itself, and its references into the package."""
        if id(value) not in self.parts:
            opens, others = False, []
            if isinstance(value, type):
                ours = [c for c in value.__mro__ if c.__module__.startswith("tensordraft")]
                others = [item for c in ours for item in vars(c).values()]
            else:
                for name, used in names_used(value):
                    opens |= opens_files(name, used)
                    others.append(used)
            self.parts[id(value)] = opens, [item for o in others if (item := of_package(o))]
        return self.parts[id(value)]

    def opens(self, value: Any) -> bool:
        pending, seen = [of_package(value)], set()
        while pending:
            item = pending.pop()
            if id(item) not in seen:
                seen.add(id(item))
                opens, others = self.look(item)
                if opens:
                    return True
                pending += others
        return False


def of_package(value: Any) -> Any:
    """Function or class of the package that a value is or wraps; None if none."""
    if isinstance(value, partial):
        value = value.func
    if isinstance(value, property):
        value = value.fget
    value = getattr(value, "__func__", value)
    if isinstance(value, types.FunctionType):
        value = inspect.unwrap(value)
    ours = getattr(value, "__module__", None) or ""
    kept = isinstance(value, types.FunctionType | type) and ours.startswith("tensordraft")
    return value if kept else None


def test_every_kernel_that_opens_a_path_says_so() -> None:
    registry.load()
    reach, found, stated = Reach(), set(), set()
    for name, definition in registry._DEFINITIONS.items():
        if of_package(definition.kernel_factory) is None:
            continue  # an op of another test
        if reach.opens(definition.kernel_factory):
            found.add(name)
        traits = definition.traits
        if traits.reads_files or traits.writes_files or traits.reads_at or traits.writes_at:
            stated.add(name)
    assert found == stated
    assert {"ReadFile", "PrintV2", "CacheDatasetV2", "TextLineDataset", "SaveV2"} <= found


def printed(stream: str) -> Any:
    kind: Any = registry.lookup("PrintV2")
    return kind(td.constant("x"), output_stream=stream)


def rows(dataset: Any) -> Any:
    return dataset.make_one_shot_iterator().get_next()


TOUCHING: dict[str, Callable[[str], Any]] = {
    "print": lambda path: printed(f"file://{path}"),
    "cache": lambda path: rows(td.data.Dataset.range(2).cache(path)),
    "lines": lambda path: rows(td.data.TextLineDataset(path)),
    "records": lambda path: rows(td.data.TFRecordDataset(path)),
    "fixed": lambda path: rows(td.data.FixedLengthRecordDataset(path, 4)),
    "names": lambda path: rows(td.data.Dataset.list_files(f"{path}*")),
    "inside": lambda path: rows(
        td.data.Dataset.range(2).flat_map(lambda _: td.data.TextLineDataset(path))
    ),
    "cache inside": lambda path: rows(
        td.data.Dataset.range(2).flat_map(lambda _: td.data.Dataset.range(2).cache(path))
    ),
    "read inside": lambda path: rows(td.data.Dataset.range(2).map(lambda _: td.read_file(path))),
    "vocabulary": lambda path: td.nn.fixed_unigram_candidate_sampler(
        td.constant([[0]], td.int64), 1, 1, True, 2, vocab_file=path
    ),
}
HARMLESS: dict[str, Callable[[], Any]] = {
    "print": lambda: printed("stdout"),
    "cache": lambda: rows(td.data.Dataset.range(2).cache()),
    "cache inside": lambda: rows(
        td.data.Dataset.range(2).flat_map(lambda _: td.data.Dataset.range(2).cache())
    ),
    "weights": lambda: td.nn.fixed_unigram_candidate_sampler(
        td.constant([[0]], td.int64), 1, 1, True, 2, unigrams=[1.0, 1.0]
    ),
}


def untrusted(graph: Any) -> td.Session:
    return td.Session(graph=graph, config=td.ConfigProto(untrusted=True))


def again(graph: td.Graph) -> td.Graph:
    """The graph as it comes from a file."""
    with td.Graph().as_default() as read:
        td.import_graph_def(graph.as_graph_def(), name="")
    return read


def fetched(results: Any) -> list[str]:
    nested = results if isinstance(results, list | tuple) else [results]
    return [item.name for item in nested]


@pytest.mark.parametrize("make", TOUCHING.values(), ids=TOUCHING)
def test_what_names_a_file_is_refused(make: Callable[[str], Any], tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("text\n")
    with td.Graph().as_default() as graph:
        names = fetched(make(str(path)))
    contract = td.Contract(files=False, python=False, unknown=False)
    for held in (graph, again(graph)):
        refused = pytest.raises(td.errors.PermissionDeniedError, match=r"(reads|writes) files")
        with untrusted(held) as session, refused:
            session.run(names)
        assert not td.check_graph(held, contract=contract).ok
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert path.read_text() == "text\n"


@pytest.mark.parametrize("make", HARMLESS.values(), ids=HARMLESS)
def test_what_names_no_file_runs(make: Callable[[], Any]) -> None:
    with td.Graph().as_default() as graph:
        names = fetched(make())
    for held in (graph, again(graph)):
        with untrusted(held) as session:
            session.run(names)
        assert not list(touches(ops_within(held.get_operations())))


def test_a_name_that_is_fed_may_be_that_of_a_file() -> None:
    with td.Graph().as_default() as graph:
        name = td.placeholder_with_default("", [])
        iterator = td.data.Dataset.range(2).cache(name).make_initializable_iterator()
    refused = pytest.raises(td.errors.PermissionDeniedError, match="writes files")
    with untrusted(graph) as session, refused:
        session.run(iterator.initializer)


def test_a_function_is_looked_into_with_the_attrs_of_each_call() -> None:
    """One function, called with two streams: the second is a file."""
    definition = td.GraphDef()
    function = definition.library.function.add()
    function.signature.name = "Said"
    function.signature.input_arg.add(name="text", type=td.string.as_datatype_enum)
    function.signature.output_arg.add(name="same", type=td.string.as_datatype_enum)
    function.signature.attr.add(name="stream", type="string")
    said = function.node_def.add(name="said", op="PrintV2", input=["text"])
    said.attr["output_stream"].placeholder = "stream"
    function.node_def.add(name="kept", op="Identity", input=["text", "^said"])
    function.node_def[1].attr["T"].type = td.string.as_datatype_enum
    function.ret["same"] = "kept:output:0"
    function.control_ret["said"] = "said"
    node = definition.node.add(name="x", op="Const")
    node.attr["dtype"].type = td.string.as_datatype_enum
    node.attr["value"].tensor.CopyFrom(td.make_tensor_proto(b"x"))
    node = definition.node.add(name="which", op="Const")
    node.attr["dtype"].type = td.bool.as_datatype_enum
    node.attr["value"].tensor.CopyFrom(td.make_tensor_proto(True))
    node = definition.node.add(name="y", op="If", input=["which", "x"])
    node.attr["Tcond"].type = td.bool.as_datatype_enum
    for attr in ("Tin", "Tout"):
        node.attr[attr].list.type.append(td.string.as_datatype_enum)
    for attr, stream in (("then_branch", b"file:///nowhere/x"), ("else_branch", b"stdout")):
        node.attr[attr].func.name = "Said"
        node.attr[attr].func.attr["stream"].s = stream
    with td.Graph().as_default() as graph:
        td.import_graph_def(definition, name="")
    assert [touch.what for touch in touches(ops_within(graph.get_operations()))] == ["writes files"]
    with untrusted(graph) as session, pytest.raises(td.errors.PermissionDeniedError):
        session.run("y:0")
