"""`SymbolicGradient` in a graph file: replaced by the gradients of the function it names."""

from __future__ import annotations

import numpy as np
import pytest
from google.protobuf import text_format

import tensordraft as td

# As TensorFlow writes it: F(a, b) = tanh(a * b), a + b; the gradients of x and y for seeds u, v.
GRAPH = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "y" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "u" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "v" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node {
  name: "back" op: "SymbolicGradient" input: "x" input: "y" input: "u" input: "v"
  attr { key: "f" value { func { name: "F" } } }
  attr { key: "Tin" value { list { type: [DT_FLOAT, DT_FLOAT, DT_FLOAT, DT_FLOAT] } } }
  attr { key: "Tout" value { list { type: [DT_FLOAT, DT_FLOAT] } } }
}
library { function {
  signature {
    name: "F"
    input_arg { name: "a" type: DT_FLOAT } input_arg { name: "b" type: DT_FLOAT }
    output_arg { name: "t" type: DT_FLOAT } output_arg { name: "s" type: DT_FLOAT }
  }
  node_def { name: "mul" op: "Mul" input: "a" input: "b"
    attr { key: "T" value { type: DT_FLOAT } } }
  node_def { name: "tanh" op: "Tanh" input: "mul:z:0"
    attr { key: "T" value { type: DT_FLOAT } } }
  node_def { name: "sum" op: "AddV2" input: "a" input: "b"
    attr { key: "T" value { type: DT_FLOAT } } }
  ret { key: "t" value: "tanh:y:0" } ret { key: "s" value: "sum:z:0" }
} }
"""
SEED = 0.41997434  # 1 - tanh(1)**2


def parsed(text: str = GRAPH) -> td.GraphDef:
    return text_format.Parse(text, td.GraphDef())


def imported(graph_def: td.GraphDef) -> td.Graph:
    with td.Graph().as_default() as graph:
        td.import_graph_def(graph_def, name="")
    return graph


def test_the_gradients_of_a_function_are_computed() -> None:
    graph = imported(parsed())
    assert "SymbolicGradient" not in {op.type for op in graph.get_operations()}
    with td.Session(graph=graph) as session:
        feeds: dict[str, object] = {"x:0": 0.5, "y:0": 2.0, "u:0": 1.0, "v:0": 10.0}
        found = session.run(["back:0", "back:1"], feeds)
        np.testing.assert_allclose(found, [2 * SEED + 10, 0.5 * SEED + 10], rtol=1e-6)
        # An argument is broadcast in the function: its gradient is summed.
        feeds["x:0"] = [0.5, 0.5]
        feeds["u:0"] = feeds["v:0"] = [1.0, 1.0]
        found = session.run("back:1", feeds)
        np.testing.assert_allclose(found, SEED + 2, rtol=1e-6)


def test_a_graph_with_a_gradient_loads_as_a_whole_and_is_saved() -> None:
    with td.Graph().as_default() as graph:
        td.import_graph_def(parsed(), name="sub")
    again = imported(td.GraphDef.FromString(graph.as_graph_def().SerializeToString()))
    with td.Session(graph=again) as session:
        feeds = {"sub/x:0": 0.5, "sub/y:0": 2.0, "sub/u:0": 1.0, "sub/v:0": 0.0}
        np.testing.assert_allclose(session.run("sub/back:0", feeds), 2 * SEED, rtol=1e-6)


def test_an_input_that_no_result_depends_on_has_zeros() -> None:
    text = GRAPH.replace('input: "a" input: "b"', 'input: "a" input: "a"')
    with td.Session(graph=imported(parsed(text))) as session:
        feeds = {"x:0": 0.5, "y:0": [2.0, 3.0], "u:0": 1.0, "v:0": 10.0}
        np.testing.assert_array_equal(session.run("back:1", feeds), [0, 0])


def test_the_gradient_of_a_gradient_is_one() -> None:
    text = GRAPH.replace(
        'name: "sum" op: "AddV2" input: "a" input: "b"\n'
        '    attr { key: "T" value { type: DT_FLOAT } }',
        'name: "sum" op: "SymbolicGradient" input: "a" input: "b"\n'
        '    attr { key: "f" value { func { name: "G" } } }\n'
        '    attr { key: "Tin" value { list { type: [DT_FLOAT, DT_FLOAT] } } }\n'
        '    attr { key: "Tout" value { list { type: DT_FLOAT } } }',
    ).replace("sum:z:0", "sum:output:0")
    cube = parsed(
        """library { function {
          signature { name: "G" input_arg { name: "a" type: DT_FLOAT }
            output_arg { name: "c" type: DT_FLOAT } }
          node_def { name: "square" op: "Square" input: "a"
            attr { key: "T" value { type: DT_FLOAT } } }
          node_def { name: "cube" op: "Mul" input: "a" input: "square:y:0"
            attr { key: "T" value { type: DT_FLOAT } } }
          ret { key: "c" value: "cube:z:0" } } }"""
    )
    graph_def = parsed(text)
    graph_def.library.function.extend(cube.library.function)
    with td.Session(graph=imported(graph_def)) as session:
        feeds = {"x:0": 0.5, "y:0": 2.0, "u:0": 0.0, "v:0": 1.0}
        # s = 3 a**2 b: its derivatives are 6 a b and 3 a**2.
        np.testing.assert_allclose(session.run(["back:0", "back:1"], feeds), [6, 0.75], rtol=1e-6)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("type: [DT_FLOAT, DT_FLOAT] ", "type: [DT_FLOAT] ", "'back' .*Tout must be the types"),
        (' input: "v"', "", "'back' .* must have 4 inputs, got 3"),
    ],
)
def test_a_gradient_that_fits_no_function_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        imported(parsed(GRAPH.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new"),
    [('func { name: "F" }', 'func { name: "H" }'), ('op: "Tanh"', 'op: "NobodyKnowsIt"')],
)
def test_where_no_gradient_is_known_the_node_stays(old: str, new: str) -> None:
    graph = imported(parsed(GRAPH.replace(old, new)))
    assert graph.get_operation_by_name("back").type == "SymbolicGradient"


def test_a_function_that_differentiates_itself_is_refused() -> None:
    graph_def = parsed()
    graph_def.library.function[0].node_def.add().CopyFrom(graph_def.node[4])
    with pytest.raises(ValueError, match="differentiates 'F', which refers to itself"):
        imported(graph_def)


def test_gradients_nested_too_deeply_are_refused() -> None:
    graph_def = parsed()
    template = graph_def.library.function[0]
    for i in range(20):
        function = graph_def.library.function.add()
        function.CopyFrom(template)
        function.signature.name = f"F{i}"
        inner = function.node_def.add()
        inner.CopyFrom(graph_def.node[4])
        inner.attr["f"].func.name = f"F{i + 1}" if i < 19 else "F"
        inner.input[:] = ["a", "b", "a", "b"]
    graph_def.node[4].attr["f"].func.name = "F0"
    with pytest.raises(ValueError, match=r"'back' .* is inside of 8 other gradients"):
        imported(graph_def)
