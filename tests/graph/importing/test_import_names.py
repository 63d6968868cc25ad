"""Names of imported nodes where names are taken, and shapes that TensorFlow misstates."""

from __future__ import annotations

from typing import Any

import pytest

import tensordraft as td


def source() -> td.GraphDef:
    """Names that are alike but for their case, and one that ends as a number makes it."""
    with td.Graph().as_default() as other:
        x = td.placeholder(td.float32, [2], name="x")
        with td.name_scope("s"):
            td.identity(x, name="y")
        td.identity(x, name="w_1")
        td.identity(x, name="w")
    return other.as_graph_def()


def twice(name: str | None) -> None:
    for _ in range(2):
        td.import_graph_def(source(), name=name)


def within(scope: str, name: str) -> None:
    for _ in range(2):
        with td.name_scope(scope):
            td.import_graph_def(source(), name=name)


# What is there, what is imported, and the names of all ops: those of TensorFlow 2.21.
NAMES: list[tuple[str, Any, str]] = [
    (
        "",
        lambda: twice(None),
        "import/x import/s/y import/w_1 import/w import_1/x import_1/s/y import_1/w_1 import_1/w",
    ),
    ("", lambda: twice(""), "x s/y w_1 w x_1 s/y_1 w_1_1 w_2"),
    ("", lambda: twice("a/b"), "a/b/x a/b/s/y a/b/w_1 a/b/w a/b_1/x a/b_1/s/y a/b_1/w_1 a/b_1/w"),
    ("", lambda: within("o", ""), "x s/y w_1 w x_1 s/y_1 w_1_1 w_2"),
    (
        "",
        lambda: within("o/", "n"),
        "o/n/x o/n/s/y o/n/w_1 o/n/w o/n_1/x o/n_1/s/y o/n_1/w_1 o/n_1/w",
    ),
    ("x", lambda: td.import_graph_def(source(), name=""), "x x_1 s/y w_1 w"),
    ("X", lambda: td.import_graph_def(source(), name=""), "X x s/y w_1 w"),
    ("w", lambda: td.import_graph_def(source(), name=""), "w x s/y w_1 w_2"),
    ("s", lambda: td.import_graph_def(source(), name=""), "s x s/y w_1 w"),
    ("s/y", lambda: td.import_graph_def(source(), name=""), "s/y x s/y_1 w_1 w"),
    (
        "import",
        lambda: td.import_graph_def(source()),
        "import import_1/x import_1/s/y import_1/w_1 import_1/w",
    ),
    (
        "import/x",
        lambda: td.import_graph_def(source()),
        "import/x import/x_1 import/s/y import/w_1 import/w",
    ),
]


@pytest.mark.parametrize(("there", "make", "names"), NAMES)
def test_names_are_made_unique_as_tensorflow_does(
    graph: td.Graph, there: str, make: Any, names: str
) -> None:
    if there:
        td.constant(1.0, name=there)
    make()
    assert [op.name for op in graph.get_operations()] == names.split()


def test_shapes_that_tensorflow_misstates_do_not_count(graph: td.Graph) -> None:
    """It states as many borders between the regions of a pool as there are regions."""
    with td.Graph().as_default() as other:
        x = td.placeholder(td.float32, [1, 6, 6, 2], name="x")
        td.nn.fractional_max_pool(x, [1.0, 1.5, 1.5, 1.0], name="pool")
    graph_def = other.as_graph_def(add_shapes=True)
    node = next(node for node in graph_def.node if node.op == "FractionalMaxPool")
    node.attr["_output_shapes"].list.shape[1].CopyFrom(td.TensorShape([4]).as_proto())
    td.import_graph_def(graph_def, name="")
    borders = graph.get_tensor_by_name(f"{node.name}:1")
    assert borders.shape.as_list() == [5]
    with td.Session() as session:
        assert len(session.run(borders, {"x:0": [[[[1.0, 2.0]] * 6] * 6]})) == 5
