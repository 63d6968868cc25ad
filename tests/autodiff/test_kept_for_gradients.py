"""Values that loops and branches keep for their gradients, and substitutes for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from google.protobuf import text_format

import tensordraft as td
from tensordraft.graph.registry import lookup
from tensordraft.protos.messages import NameAttrList

if TYPE_CHECKING:
    from collections.abc import Callable


def ran(op: Any) -> Any:
    """The op that runs instead of `op` where its gradient is asked for."""
    return op.graph.widest(op)


def kept(loop: td.Operation) -> int:
    """Number of lists that a loop outputs for its gradient."""
    return sum(tensor.dtype == td.variant for tensor in ran(loop).outputs[len(loop.outputs) :])


def counted(body: Callable[..., Any], *start: Any) -> td.Operation:
    """A loop over a number of rounds that is fed."""
    rounds = td.placeholder(td.int32, [])
    results = td.while_loop(lambda i, *_: i < rounds, body, [0, *start])
    loop: td.Operation = results[-1].op.inputs[0].op
    return loop


def test_a_loop_keeps_only_what_its_gradient_needs() -> None:
    with td.Graph().as_default():
        x = td.placeholder(td.float32, [2, 3])
        w = td.placeholder(td.float32, [3, 3])
        data = td.placeholder(td.float32, [None, 2, 3])

        def body(i: Any, y: Any) -> Any:
            shifted = y + td.gather(data, i) * td.cast(i, td.float32) + td.transpose(w)[0]
            return i + 1, td.tanh(td.matmul(shifted, w))

        loop = counted(body, x)
        td.gradients(loop.outputs[1], x)
        assert kept(loop) == 1  # the tanh; w stays, and what follows from i is computed again
        td.gradients(loop.outputs[1], w)
        assert kept(loop) == 2  # also what was multiplied with w


def test_shapes_are_kept_in_place_of_what_has_them() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32)
        y = td.placeholder(td.float32)
        rounds = td.placeholder(td.int32, [])
        step = lambda i, z: (i + 1, td.square(z) + y)  # noqa: E731
        loop = td.while_loop(lambda i, _: i < rounds, step, [0, x])[1].op.inputs[0].op
        gradient = td.gradients(loop.outputs[1], [x, y])
        elements = [
            loop.graph.inference.content(tensor).dtype
            for tensor in ran(loop).outputs[len(loop.outputs) :]
        ]
        assert elements.count(td.float32) == 1  # z itself; of the square, its shape
        assert set(elements) == {td.float32, td.int32}
        feeds = {x: np.ones((2, 1)), y: np.zeros((2, 1)), rounds: 3}
        assert session.run(gradient, feeds)[0].tolist() == [[8.0], [8.0]]


def test_nothing_is_kept_where_all_follows() -> None:
    with td.Graph().as_default():
        x = td.placeholder(td.float32, [3])
        loop = counted(lambda i, z: (i + 1, z * x), td.ones([3]))
        td.gradients(loop.outputs[1], td.ones([3]))
        td.gradients(loop.outputs[1], loop.inputs[1])
        assert kept(loop) == 0
        assert ran(loop) is loop


def test_gradients_of_one_loop_do_not_pile_up() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float64, [2])
        loop = counted(lambda i, z: (i + 1, td.sin(z)), x)
        numbers = []
        for _ in range(4):
            before = graph.version
            first = td.gradients(loop.outputs[1], x)[0]
            td.gradients(first, x)
            numbers.append((graph.version - before, len(ran(loop).outputs)))
        assert len(set(numbers[1:])) == 1
        assert numbers[0][1] == numbers[-1][1]


def test_effects_and_random_numbers_occur_once() -> None:
    with td.Graph().as_default() as graph, td.Session() as session:
        count = td.get_variable("count", initializer=0.0, use_resource=True)
        x = td.placeholder(td.float32, [])

        def body(i: Any, y: Any) -> Any:
            with td.control_dependencies([td.assign_add(count, 1.0)]):
                return i + 1, y * x * (1.0 + td.random_uniform([]))

        y = td.while_loop(lambda i, _: i < 3, body, [0, 1.0])[1]
        gradient = td.gradients(y, x)[0]
        session.run(td.global_variables_initializer())
        value, slope = session.run([y, gradient], {x: 2.0})
        assert slope == pytest.approx(3 * value / 2.0, rel=1e-6)
        assert session.run(count) == 3.0
        session.run(y, {x: 2.0})
        assert session.run(count) == 6.0
        loops = [node for node in graph.as_graph_def().node if node.op.endswith("While")]
        assert [node.name for node in loops] == ["while/While", "gradients/while/While_grad/While"]


def test_a_run_without_gradients_keeps_nothing() -> None:
    with td.Graph().as_default() as graph, td.Session() as session:
        x = td.placeholder(td.float32, [])
        y = td.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, td.sin(y)), [0, x])[1]
        td.gradients(y, x)
        assert "TensorList" not in str(session.explain(y, [x]))
        assert graph.as_graph_def().SerializeToString() == graph.as_graph_def().SerializeToString()


def test_a_branch_hands_out_what_its_gradient_needs() -> None:
    with td.Graph().as_default() as graph, td.Session() as session:
        x = td.placeholder(td.float64, [2])
        y = td.cond(x[0] > 0.0, lambda: td.tanh(td.tanh(x)), lambda: x * 2.0)
        gradient = td.gradients(y, x)[0]
        branch = y.op.inputs[0].op
        assert len(ran(branch).outputs) == 2  # the inner tanh; the outer one is a result
        types = {op.type for op in graph.get_operations() if "grad" in op.name}
        assert "Tanh" not in types
        assert session.run(gradient, {x: [-1.0, 2.0]}).tolist() == [2.0, 2.0]


def test_what_is_not_reached_has_no_gradient() -> None:
    with td.Graph().as_default():
        a, b = td.placeholder(td.float32, []), td.placeholder(td.float32, [])
        n = td.placeholder(td.int32, [])
        _, p, q = td.while_loop(lambda i, *_: i < n, lambda i, p, q: (i + 1, p * 2.0, q), [0, a, b])
        assert td.gradients(p, [a, b])[1] is None
        assert td.gradients(q, [a, b])[0] is None
        c = td.cond(n > 0, lambda: a * 2.0, lambda: a + td.stop_gradient(b))
        assert td.gradients(c, [a, b])[1] is None


def test_recurrent_networks() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float64, [None, None, 3])
        cell = td.nn.rnn_cell.BasicLSTMCell(4)
        lengths = td.placeholder(td.int32, [None])
        outputs, _ = td.nn.dynamic_rnn(cell, x, lengths, dtype=td.float64)
        loss = td.reduce_sum(outputs**2)
        gradients = td.gradients(loss, [x, *td.trainable_variables()])
        assert [g.shape.as_list() for g in gradients[1:]] == [[7, 16], [16]]
        session.run(td.global_variables_initializer())
        value = np.random.RandomState(0).uniform(-1, 1, (2, 4, 3))
        found = session.run(gradients[0], {x: value, lengths: [2, 4]})
        assert not found[0, 2:].any()
        step = np.zeros_like(value)
        step[1, 2, 1] = 1e-6
        ends = [session.run(loss, {x: value + s, lengths: [2, 4]}) for s in (step, -step)]
        assert found[1, 2, 1] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)


def test_a_loop_without_back_prop_has_no_gradient() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [])
        y = td.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y * x), [0, x], back_prop=False)[
            1
        ]
        assert td.gradients(y, x) == [None]
        [other_path] = td.gradients(y + 2.0 * x, x)
        assert session.run(other_path, {x: 3.0}) == 2.0


def test_a_function_that_calls_itself_refuses() -> None:
    text = """
        node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
        node { name: "y" op: "StatelessIf" input: "c" input: "x"
            attr { key: "Tcond" value { type: DT_BOOL } }
            attr { key: "Tin" value { list { type: DT_FLOAT } } }
            attr { key: "Tout" value { list { type: DT_FLOAT } } }
            attr { key: "then_branch" value { func { name: "again" } } }
            attr { key: "else_branch" value { func { name: "again" } } } }
        node { name: "c" op: "Placeholder" attr { key: "dtype" value { type: DT_BOOL } } }
        library { function {
            signature { name: "again"
                input_arg { name: "a" type: DT_FLOAT } output_arg { name: "b" type: DT_FLOAT } }
            node_def { name: "p" op: "Less" input: "a" input: "a"
                attr { key: "T" value { type: DT_FLOAT } } }
            node_def { name: "q" op: "StatelessIf" input: "p:z:0" input: "a"
                attr { key: "Tcond" value { type: DT_BOOL } }
                attr { key: "Tin" value { list { type: DT_FLOAT } } }
                attr { key: "Tout" value { list { type: DT_FLOAT } } }
                attr { key: "then_branch" value { func { name: "again" } } }
                attr { key: "else_branch" value { func { name: "again" } } } }
            ret { key: "b" value: "q:output:0" } } }
    """
    with td.Graph().as_default() as graph:
        td.import_graph_def(text_format.Parse(text, td.GraphDef()), name="")
        x, y = graph.get_tensor_by_name("x:0"), graph.get_tensor_by_name("y:0")
        with pytest.raises(LookupError, match="the function 'again' calls itself"):
            td.gradients(y, x)


def test_calls_of_functions() -> None:
    text = """
        library { function {
            signature { name: "wave"
                input_arg { name: "a" type: DT_DOUBLE } output_arg { name: "b" type: DT_DOUBLE } }
            node_def { name: "s" op: "Sin" input: "a" attr { key: "T" value { type: DT_DOUBLE } } }
            node_def { name: "m" op: "Mul" input: "s:y:0" input: "a"
                attr { key: "T" value { type: DT_DOUBLE } } }
            ret { key: "b" value: "m:z:0" } } }
    """
    with td.Graph().as_default() as graph, td.Session() as session:
        graph.library.CopyFrom(text_format.Parse(text, td.GraphDef()).library)
        x = td.placeholder(td.float64, [])
        y = lookup("PartitionedCall")([x], Tout=[td.float64], f=NameAttrList(name="wave"))[0]
        first = td.gradients(y, x)[0]
        second = td.gradients(first, x)[0]
        value = 0.7
        found = session.run([y, first, second], {x: value})
        sine, cosine = np.sin(value), np.cos(value)
        wanted = [value * sine, sine + value * cosine, 2 * cosine - value * sine]
        np.testing.assert_allclose(found, wanted)


def test_long_chains_that_no_round_changes() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float64, [])

        def body(i: Any, y: Any) -> Any:
            factor = x
            for _ in range(1500):
                factor = -factor
            return i + 1, y * factor

        y = td.while_loop(lambda i, _: i < 3, body, [0, x])[1]
        assert session.run(td.gradients(y, x)[0], {x: 2.0}) == 4 * 2.0**3


def test_graphs_with_gradients_are_written_without_functions_too() -> None:
    with td.Graph().as_default() as graph, td.Session() as session:
        x = td.placeholder(td.float64, [], name="x")
        y = td.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, td.sin(y) * x), [0, x])[1]
        first = td.gradients(y, x)[0]
        names = [td.identity(td.gradients(first, x)[0], name="second").name, first.name]
        wanted = session.run(names, {x: 0.7})
        for flag in (None, "lowered"):
            data = graph.as_graph_def(control_flow=flag, add_shapes=True)
            with td.Graph().as_default() as copy, td.Session(graph=copy) as other:
                td.import_graph_def(data, name="")
                np.testing.assert_allclose(other.run(names, {"x:0": 0.7}), wanted, rtol=1e-12)
