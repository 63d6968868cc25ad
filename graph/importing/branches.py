"""Switch and Merge as ops of type `If` and `Case`."""

from __future__ import annotations

from typing import NamedTuple

from ...protos.messages import GraphDef, NodeDef
from ..node_def import source_name
from .node_order import sorted_by_need
from .node_texts import (
    MERGES,
    SWITCHES,
    BodySource,
    Nodes,
    control_inputs,
    copied,
    data_inputs,
    dtype_of,
    free_name,
    identity,
    is_pure,
    output_of,
    placeholder,
    reference,
    sources,
    type_attr,
)

Guard = frozenset[tuple[str, int]]
"""When a node runs: for each predicate that decides over it, which branch has to be taken."""

_ALWAYS: Guard = frozenset()


class Branching(NamedTuple):
    """A conditional: its predicate, and its merges with the input that each branch gives them."""

    pred: str
    merges: dict[str, dict[int, str]]


class Conditional(NamedTuple):
    """What takes the place of a conditional, and the names of the nodes that went into it."""

    nodes: list[NodeDef]
    bodies: dict[str, BodySource]
    inside: set[str]


def with_branches(source: BodySource) -> BodySource:
    """A body in which conditionals are ops; what they run is part of the body's own names."""
    nodes = {node.name: node for node in source.graph_def.node}
    if not any(node.op in MERGES for node in nodes.values()):
        return source
    found = conditionals(nodes, set(nodes))
    bodies: dict[str, BodySource] = {}
    for conditional in found:
        bodies.update(conditional.bodies)
        for node in conditional.nodes:
            nodes[node.name] = node
    needed: dict[str, None] = {}
    pending = [*map(source_name, source.outputs), *source.effects, *source.inputs]
    while pending:
        name = pending.pop()
        if name not in needed:
            needed[name] = None
            pending += sources(nodes[name])
    graph_def = GraphDef()
    graph_def.node.extend([nodes[name] for name in nodes if name in needed])
    return source._replace(graph_def=graph_def, bodies={**source.bodies, **bodies})


def conditionals(nodes: Nodes, taken: set[str], prefix: str = "") -> list[Conditional]:
    """The conditionals among nodes, those inside others left out.

    Args:
        nodes: by name; they form no cycle.
        taken: the names that are taken; those that are made are added.
        prefix: what the names of bodies begin with.
    """
    guards = _Guards(nodes)
    groups: dict[tuple[str, str, tuple[int, ...]], Branching] = {}
    for name, (pred, inputs) in guards.decided.items():
        if guards.of[name] or pred is None:
            continue
        scope = name.rpartition("/")[0]
        key = pred, scope, tuple(sorted(inputs))
        groups.setdefault(key, Branching(pred, {})).merges[name] = inputs
    whole = [_made(nodes, guards, group, taken) for group in groups.values()]
    if _in_cycle(nodes, whole):
        single = [
            Branching(group.pred, {name: inputs})
            for group in groups.values()
            for name, inputs in group.merges.items()
        ]
        whole = [_made(nodes, guards, group, taken) for group in single]
    return [_renamed(conditional, taken, prefix) for conditional in whole]


def _in_cycle(nodes: Nodes, made: list[Conditional]) -> bool:
    after = dict(nodes)
    for i, conditional in enumerate(made):
        first, *rest = conditional.nodes
        own = f"{first.name}#{i}"
        after[own] = first
        for node in rest:
            copy = NodeDef()
            copy.CopyFrom(node)
            copy.input[0] = own
            after[node.name] = copy
    needs = {
        name: [source for source in sources(node) if source in after]
        for name, node in after.items()
    }
    try:
        sorted_by_need(needs, "nodes")
    except ValueError:
        return True
    return False


def _renamed(conditional: Conditional, taken: set[str], prefix: str) -> Conditional:
    """The conditional with a name that is not taken."""
    first, *rest = conditional.nodes
    name = free_name(first.name, taken)
    taken.add(name)
    if name != first.name:
        for node in rest:
            node.input[0] = node.input[0].replace(first.name, name, 1)
        first.name = name
    bodies = {f"{prefix}{name}_{key}": body for key, body in conditional.bodies.items()}
    keys = list(bodies)
    if first.op.endswith("Case"):
        for key in keys:
            first.attr["branches"].list.func.add(name=key)
    else:
        first.attr["else_branch"].func.name, first.attr["then_branch"].func.name = keys
    return conditional._replace(bodies=bodies)


class _Guards:
    """When each node runs; and for each Merge, which predicate decides what it takes.

    Also which predicates are numbers of branches, and which nodes have a second output that is
    read.
    """

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.of: dict[str, Guard] = {}
        self.decided: dict[str, tuple[str | None, dict[int, str]]] = {}
        self.numbers: set[str] = set()
        self.second_read: set[str] = set()
        needs = {
            name: [source for source in sources(node) if source in nodes]
            for name, node in nodes.items()
        }
        for name in sorted_by_need(needs, "nodes"):
            node = nodes[name]
            self.second_read.update(text[:-2] for text in node.input if text.endswith(":1"))
            if node.op == "_SwitchN":
                self.numbers.add(self.root(node.input[1]))
            if node.op in MERGES:
                self.of[name] = self._merged(node)
            else:
                self.of[name] = _ALWAYS.union(*[self.input(text) for text in node.input])

    def input(self, text: str) -> Guard:
        """When an input of a node is there."""
        if text.startswith("^"):
            return self.of.get(text[1:], _ALWAYS)
        name, number = output_of(text)
        guard = self.of.get(name, _ALWAYS)
        node = self.nodes.get(name)
        if node is not None and node.op in SWITCHES:
            return guard | {(self.root(data_inputs(node)[1]), number)}
        return guard

    def root(self, text: str) -> str:
        """The tensor that a predicate is, seen through what hands it on."""
        name, number = output_of(text)
        while name in self.nodes and self.nodes[name].op == "Identity":
            name, number = output_of(self.nodes[name].input[0])
        return f"{name}:{number}"

    def _merged(self, node: NodeDef) -> Guard:
        texts = data_inputs(node)
        guards = [self.input(text) for text in texts]
        waits = _ALWAYS.union(*[self.input(text) for text in control_inputs(node)])
        preds = [
            pred
            for pred, _ in sorted(guards[0])
            if all(sum(other == pred for other, _ in guard) == 1 for guard in guards)
            and len({branch for guard in guards for other, branch in guard if other == pred})
            == len(guards)
        ]
        rest: list[Guard] = []
        for pred in preds:
            rest = [frozenset(item for item in guard if item[0] != pred) for guard in guards]
            if all(other == rest[0] for other in rest):
                break
        else:
            if not preds:
                self.decided[node.name] = None, {}
                return frozenset.intersection(*guards) | waits
            pred = preds[0]
        branches = {
            next(branch for other, branch in guard if other == pred): text
            for guard, text in zip(guards, texts, strict=True)
        }
        self.decided[node.name] = pred, branches
        rest = [frozenset(item for item in guard if item[0] != pred) for guard in guards]
        return frozenset.intersection(*rest) | (waits - {(pred, branch) for branch in branches})


def _made(nodes: Nodes, guards: _Guards, group: Branching, taken: set[str]) -> Conditional:
    """The op that stands for a group of merges."""
    names = list(group.merges)
    numbers = sorted(next(iter(group.merges.values())))
    indices = [name for name in names if name in guards.second_read]
    inputs: dict[str, str] = {}
    parts = [_Branch(nodes, guards, group.pred, number, inputs) for number in numbers]
    for part, number in zip(parts, numbers, strict=True):
        part.take([group.merges[name][number] for name in names])
        for name in indices:
            texts = data_inputs(nodes[name])
            part.take_index(texts.index(group.merges[name][number]))
    references = set().union(*[part.references for part in parts])
    dtypes = [dtype_of(text, nodes) for text in inputs]
    dtypes = [
        reference(dtype) if text in references else dtype
        for text, dtype in zip(inputs, dtypes, strict=True)
    ]
    out = [nodes[name].attr["T"].type for name in names]
    scope = names[0].rpartition("/")[0]
    op = NodeDef(name=free_name(f"{scope}/If" if scope else "If", taken))
    pure = all(is_pure(node) or node.op == "NoOp" for part in parts for node in part.nodes.values())
    boolean = numbers in ([0, 1], [0], [1]) and group.pred not in guards.numbers
    op.op = ("Stateless" if pure else "") + ("If" if boolean else "Case")
    op.input.extend([group.pred, *inputs])
    op.input.extend(dict.fromkeys([wait for part in parts for wait in part.waits]))
    type_attr(op, "Tin", dtypes)
    type_attr(op, "Tout", [*out, *[3] * len(indices)])
    op.attr["output_shapes"].list.SetInParent()
    if boolean:
        op.attr["Tcond"].type = dtype_of(group.pred, nodes)
    op.attr["_lower_using_switch_merge"].b = True
    made = [op]
    for i, name in enumerate(names):
        made.append(identity(name, f"{op.name}:{i}", out[i], nodes[name].device))
    made += [
        identity(_index_name(name), f"{op.name}:{len(names) + i}", 3)
        for i, name in enumerate(indices)
    ]
    bodies = {
        f"branch_{number}": part.source(list(inputs.values()), dtypes)
        for part, number in zip(parts, numbers, strict=True)
    }
    inside = {name for part in parts for name in (*part.nodes, *part.passed)} | set(names)
    return Conditional(made, bodies, inside)


def _index_name(merge: str) -> str:
    return f"{merge}/value_index"


class _Branch:
    """The nodes of one branch of a conditional."""

    def __init__(
        self, nodes: Nodes, guards: _Guards, pred: str, number: int, inputs: dict[str, str]
    ) -> None:
        self._all = nodes
        self._guards = guards
        self._key = pred, number
        self._inputs = inputs
        self._placeholders: set[str] = set()
        self.nodes: Nodes = {}
        self.passed: set[str] = set()
        self.waits: dict[str, None] = {}
        self.outputs: list[str] = []
        self.references: set[str] = set()

    def take(self, wanted: list[str]) -> None:
        """Takes what is needed for some tensors, which the branch returns."""
        self.outputs = [self._text(text) for text in wanted]
        pending = [source_name(text) for text in self.outputs]
        while pending:
            name = pending.pop()
            if name in self.nodes or name in self._placeholders:
                continue
            node = self._all[name]
            inputs = [self._text(text) for text in data_inputs(node)]
            controls = [self._control(text) for text in control_inputs(node)]
            kept = [text for text in controls if text is not None]
            self.nodes[name] = copied(node, [*inputs, *dict.fromkeys(kept)])
            pending += [source_name(text) for text in self.nodes[name].input]

    def take_index(self, index: int) -> None:
        """Has the branch return the number of the input that a Merge takes from it."""
        node = NodeDef(name=free_name("value_index", [*self.nodes, *self._all]), op="Const")
        node.attr["dtype"].type = 3
        node.attr["value"].tensor.dtype = 3
        node.attr["value"].tensor.tensor_shape.SetInParent()
        node.attr["value"].tensor.int_val.append(index)
        self.nodes[node.name] = node
        self.outputs.append(node.name)

    def _text(self, text: str) -> str:
        """An input of a node in the branch as an input in its body."""
        name, number = output_of(text)
        referred = False
        while name in self._all and self._all[name].op in SWITCHES:
            node = self._all[name]
            referred = referred or node.op == "RefSwitch"
            if (self._guards.root(node.input[1]), number) != self._key:
                break
            self.passed.add(name)
            name, number = output_of(node.input[0])
        text = f"{name}:{number}" if number else name
        if self._key in self._guards.of.get(name, _ALWAYS):
            return text
        node = self._all[name]
        if node.op == "Const" and not node.input:
            self.nodes.setdefault(name, node)
            return text
        if referred:
            self.references.add(text)
        given = self._inputs.setdefault(text, _input_name(name, number))
        self._placeholders.add(given)
        return given

    def _control(self, text: str) -> str | None:
        name = text[1:]
        node = self._all[name]
        if self._key not in self._guards.of[name]:
            if node.op not in SWITCHES:
                self.waits[text] = None
            return None
        if self._is_pivot(name):
            return None
        return text

    def _is_pivot(self, name: str) -> bool:
        """Whether a node is there only to tell that the branch is taken."""
        node = self._all[name]
        if node.op != "Identity" or control_inputs(node):
            return False
        source, number = output_of(node.input[0])
        self.passed.add(name)
        switch = self._all[source]
        if switch.op in SWITCHES:
            return (self._guards.root(switch.input[1]), number) == self._key
        return self._is_pivot(source)

    def source(self, inputs: list[str], dtypes: list[int]) -> BodySource:
        """The branch as a body that takes what any branch needs."""
        graph_def = GraphDef()
        graph_def.node.extend(map(placeholder, inputs, dtypes))
        graph_def.node.extend(self.nodes.values())
        return with_branches(BodySource(graph_def, inputs, self.outputs))


def _input_name(name: str, number: int) -> str:
    return f"{name}/output_{number}" if number else name
