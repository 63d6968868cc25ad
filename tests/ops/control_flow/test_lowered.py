"""Loops and conditionals as TensorFlow 1.x writes them: read as ops with bodies, saved as read."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import text_format
from harness import covers

import tensordraft as td

OPS = """
Switch RefSwitch _SwitchN Merge RefMerge Enter RefEnter Exit RefExit
NextIteration RefNextIteration LoopCond IrregularFrame
"""
covers(*OPS.split())

TYPES = {"i": "DT_INT32", "b": "DT_BOOL"}


def node(name: str, op: str, *inputs: str, t: str | None = "i", **attrs: str) -> str:
    """A node in text form, with attr T unless `t` is None."""
    texts = [f'input: "{text}"' for text in inputs]
    if t is not None:
        attrs["T"] = f"type: {TYPES[t]}"
    texts += [f'attr {{ key: "{key}" value {{ {value} }} }}' for key, value in attrs.items()]
    return f'node {{ name: "{name}" op: "{op}" {" ".join(texts)} }}'


def number(name: str, value: int, *controls: str) -> str:
    tensor = f"tensor {{ dtype: DT_INT32 tensor_shape {{ }} int_val: {value} }}"
    return node(name, "Const", *controls, t=None, dtype="type: DT_INT32", value=tensor)


def placeholder(name: str, t: str = "i") -> str:
    return node(name, "Placeholder", t=None, dtype=f"type: {TYPES[t]}", shape="shape { }")


def enter(name: str, source: str, frame: str, constant: bool = False) -> str:
    return node(
        name, "Enter", source, frame_name=f's: "{frame}"', is_constant=f"b: {str(constant).lower()}"
    )


def merge(name: str, *inputs: str) -> str:
    return node(name, "Merge", *inputs, N=f"i: {len(inputs)}")


def loop(
    scope: str = "while", start: str = "x", limit: str = "n", body: str = "", step: str = ""
) -> list[str]:
    """`while x < n: x = x + 1`, or with another body, whose last node is `step`."""
    s = scope
    return [
        enter(f"{s}/Enter", start, s),
        merge(f"{s}/Merge", f"{s}/Enter", f"{s}/NextIteration"),
        enter(f"{s}/Limit", limit, s, constant=True),
        node(f"{s}/Less", "Less", f"{s}/Merge", f"{s}/Limit"),
        node(f"{s}/LoopCond", "LoopCond", f"{s}/Less", t=None),
        node(f"{s}/Switch", "Switch", f"{s}/Merge", f"{s}/LoopCond"),
        node(f"{s}/Identity", "Identity", f"{s}/Switch:1"),
        *(
            [body]
            if body
            else [
                number(f"{s}/one", 1, f"^{s}/Identity"),
                node(f"{s}/add", "AddV2", f"{s}/Identity", f"{s}/one"),
            ]
        ),
        node(f"{s}/NextIteration", "NextIteration", step or f"{s}/add"),
        node(f"{s}/Exit", "Exit", f"{s}/Switch"),
    ]


def conditional(scope: str, pred: str, x: str) -> list[str]:
    """`x + 1 if pred else x * 10`."""
    s = scope
    return [
        node(f"{s}/Switch", "Switch", pred, pred, t="b"),
        node(f"{s}/switch_t", "Identity", f"{s}/Switch:1", t="b"),
        node(f"{s}/switch_f", "Identity", f"{s}/Switch", t="b"),
        node(f"{s}/pred_id", "Identity", pred, t="b"),
        node(f"{s}/a/Switch", "Switch", x, f"{s}/pred_id"),
        number(f"{s}/one", 1, f"^{s}/switch_t"),
        node(f"{s}/add", "AddV2", f"{s}/a/Switch:1", f"{s}/one"),
        node(f"{s}/b/Switch", "Switch", x, f"{s}/pred_id"),
        number(f"{s}/ten", 10, f"^{s}/switch_f"),
        node(f"{s}/mul", "Mul", f"{s}/b/Switch", f"{s}/ten"),
        merge(f"{s}/Merge", f"{s}/mul", f"{s}/add"),
    ]


def graph_of(*nodes: str, name: str = "") -> td.Graph:
    with td.Graph().as_default() as graph:
        td.import_graph_def(text_format.Parse("\n".join(nodes), td.GraphDef()), name=name)
    return graph


def value(graph: td.Graph, fetch: str, **feeds: Any) -> Any:
    with td.Session(graph=graph) as session:
        return session.run(fetch, {f"{name}:0": item for name, item in feeds.items()}).item()


def saved_as_read(*nodes: str) -> None:
    """Checks that a graph is saved with the nodes that it was read from, in their order."""
    read = text_format.Parse("\n".join(nodes), td.GraphDef())
    saved = graph_of(*nodes).as_graph_def()
    assert [item.name for item in saved.node] == [item.name for item in read.node]
    for one, other in zip(saved.node, read.node, strict=True):
        assert (one.op, list(one.input)) == (other.op, list(other.input))
    scoped = graph_of(*nodes, name="inner").as_graph_def()
    with td.Graph().as_default() as again:
        td.import_graph_def(scoped, name="")
    assert again.as_graph_def() == scoped


def test_a_loop() -> None:
    nodes = [placeholder("x"), placeholder("n"), *loop()]
    graph = graph_of(*nodes)
    assert [value(graph, "while/Exit:0", x=1, n=n) for n in (0, 1, 5, 50)] == [1, 1, 5, 50]
    assert graph.get_operation_by_name("while/Exit").type == "Identity"
    saved_as_read(*nodes)


def test_a_loop_in_a_loop() -> None:
    # while y < n: y = inner(y) + 1, where inner adds up to 3
    inner = [
        line.replace('"inner"', '"inner"')
        for line in loop("inner", start="outer/Identity", limit="outer/three")
    ]
    nodes = [
        placeholder("x"),
        placeholder("n"),
        *loop("outer", body="", step="outer/sum"),
        number("outer/three", 3, "^outer/Identity"),
        *inner,
        node("outer/sum", "AddV2", "inner/Exit", "outer/one"),
    ]
    graph = graph_of(*nodes)

    def expected(x: int, n: int) -> int:
        while x < n:
            x = max(x, 3) + 1
        return x

    for x, n in ((0, 9), (5, 9), (9, 9), (0, 1)):
        assert value(graph, "outer/Exit:0", x=x, n=n) == expected(x, n)
    saved_as_read(*nodes)


def test_a_branch() -> None:
    nodes = [placeholder("p", "b"), placeholder("x"), *conditional("cond", "p", "x")]
    graph = graph_of(*nodes)
    assert value(graph, "cond/Merge:0", p=True, x=4) == 5
    assert value(graph, "cond/Merge:0", p=False, x=4) == 40
    assert graph.get_operation_by_name("cond/Merge").inputs[0].op.type == "StatelessIf"
    saved_as_read(*nodes)


def test_the_branch_that_a_merge_took() -> None:
    nodes = [
        placeholder("p", "b"),
        placeholder("x"),
        *conditional("cond", "p", "x"),
        node("which", "Identity", "cond/Merge:1"),
    ]
    graph = graph_of(*nodes)
    assert [value(graph, "which:0", p=p, x=4) for p in (False, True)] == [0, 1]


def test_branches_one_after_the_other_and_in_each_other() -> None:
    nodes = [
        placeholder("p", "b"),
        placeholder("q", "b"),
        placeholder("x"),
        *conditional("first", "p", "x"),
        *conditional("second", "p", "first/Merge"),
        # third: if p then (x + 1 if q else x * 10) else x * 10
        *conditional("third", "p", "second/Merge")[:-1],
        node("inner/q/Switch", "Switch", "q", "third/pred_id", t="b"),
        *conditional("inner", "inner/q/Switch:1", "third/a/Switch:1"),
        merge("third/Merge", "third/mul", "inner/Merge"),
    ]
    graph = graph_of(*nodes)
    for p, q, expected in ((True, True, 4), (True, False, 30), (False, True, 1000)):
        assert value(graph, "third/Merge:0", p=p, q=q, x=1) == expected
    saved_as_read(*nodes)


def test_a_branch_in_a_loop() -> None:
    nodes = [
        placeholder("x"),
        placeholder("n"),
        *loop(step="cond/Merge"),
        number("while/four", 4, "^while/Identity"),
        node("while/small", "Less", "while/Identity", "while/four"),
        *conditional("cond", "while/small", "while/Identity"),
    ]
    graph = graph_of(*nodes)
    assert value(graph, "while/Exit:0", x=1, n=100) == 400
    saved_as_read(*nodes)


def test_only_one_branch_runs() -> None:
    nodes = [
        placeholder("p", "b"),
        placeholder("x"),
        *conditional("cond", "p", "x")[:-3],
        number("cond/ten", 0, "^cond/switch_f"),
        node("cond/mul", "FloorDiv", "cond/b/Switch", "cond/ten"),
        merge("cond/Merge", "cond/mul", "cond/add"),
    ]
    graph = graph_of(*nodes)
    assert value(graph, "cond/Merge:0", p=True, x=4) == 5
    with pytest.raises(td.errors.InvalidArgumentError, match=r"in 'cond/mul' \(FloorDiv\)"):
        value(graph, "cond/Merge:0", p=False, x=4)


def test_an_irregular_frame_is_kept_and_says_why_it_does_not_run() -> None:
    nodes = [
        placeholder("x"),
        placeholder("n"),
        *(line for line in loop() if '"while/LoopCond" op' not in line and "Switch" not in line),
        node("while/NextIteration2", "NextIteration", "while/add"),
    ]
    kept = [line.replace('input: "while/Identity"', 'input: "while/Merge"') for line in nodes]
    kept = [line.replace("^while/Identity", "^while/Merge") for line in kept]
    kept.append(node("while/Exit", "Exit", "while/Merge"))
    graph = graph_of(*kept)
    saved_as_read(*kept)
    with pytest.raises(td.errors.UnimplementedError, match="0 LoopConds"):
        value(graph, "while/Exit:0", x=1, n=2)


def test_what_is_left_of_a_conditional_says_so() -> None:
    graph = graph_of(placeholder("p", "b"), placeholder("x"), node("s", "Switch", "x", "p"))
    with pytest.raises(td.errors.UnimplementedError, match="a Switch that is part of no loop"):
        value(graph, "s:1", p=True, x=1)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([placeholder("x"), node("out", "Exit", "x")], "leaves no frame"),
        (
            [
                placeholder("x"),
                enter("a", "x", "one"),
                enter("b", "x", "two"),
                node("sum", "AddV2", "a", "b"),
            ],
            "frames of the node 'sum' .* cross",
        ),
        ([node("next", "NextIteration", "next")], "reached by no Enter"),
    ],
)
def test_malformed_frames(nodes: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        graph_of(*nodes)


def test_a_deep_nest() -> None:
    lines = [placeholder("x"), placeholder("n")]
    depth = 50
    start, limit = "x", "n"
    for level in range(depth):
        scope = f"w{level}"
        last = level == depth - 1
        step = "" if last else f"w{level}/sum"
        lines += loop(scope, start, limit, step=step)
        if not last:
            lines.append(node(f"w{level}/sum", "AddV2", f"w{level + 1}/Exit", f"w{level}/one"))
        start, limit = f"{scope}/Identity", f"{scope}/Limit"
    graph = graph_of(*lines)
    assert value(graph, "w0/Exit:0", x=1, n=2) >= 2
