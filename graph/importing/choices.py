"""One conditional put in terms of an op of type `If` or `Case` and its branches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ...protos.messages import GraphDef, NodeDef
from ..node_def import source_name
from .guards import ALWAYS, Guards
from .node_texts import (
    MERGES,
    SWITCHES,
    WAITING,
    BodySource,
    Nodes,
    control_inputs,
    copied,
    data_inputs,
    dtype_of,
    free_name,
    identity,
    is_pure,
    is_reference,
    output_of,
    placeholder,
    reference,
    takes_references,
    type_attr,
)

_DECIDING = {*SWITCHES, *MERGES, *WAITING}


class Branching(NamedTuple):
    """A conditional: its predicate, and its merges with the input that each branch gives them."""

    pred: str
    merges: dict[str, dict[int, str]]


class Conditional(NamedTuple):
    """Nodes that replace a conditional, and the names of the nodes merged into it.

    Nodes that waited for one of `effects` have to wait for the first of `nodes`, the op.
    """

    nodes: list[NodeDef]
    bodies: dict[str, BodySource]
    inside: set[str]
    effects: list[str]


class Known:
    """State shared while nodes are grouped into conditionals.

    Args:
        nodes: all nodes by name.
        guards: the conditions under which each runs.
        taken: the names that are taken.

    Attributes:
        owners: the conditional that runs each node with side effects.
        dtypes: those of tensors that one conditional hands to others.
    """

    def __init__(self, nodes: Nodes, guards: Guards, taken: set[str]) -> None:
        self.nodes = nodes
        self.guards = guards
        self.taken = taken
        self.owners: dict[str, Choice] = {}
        self.dtypes: dict[str, int] = {}

    def dtype(self, text: str) -> int:
        """The dtype of a tensor."""
        found = self.dtypes.get(text)
        return dtype_of(text, self.nodes) if found is None else found


class Choice:
    """A conditional under construction: first its branches are collected, then its op is made."""

    def __init__(self, known: Known, group: Branching) -> None:
        self.known = known
        self.group = group
        self.inputs: dict[str, str] = {}
        self.numbers = sorted(next(iter(group.merges.values()), (0, 1)))
        self._parts = {number: _Branch(self, number) for number in self.numbers}
        self._handed: dict[tuple[int, str], str] = {}
        self._effects: list[str] = []
        for number, part in self._parts.items():
            part.take([inputs[number] for inputs in group.merges.values()])

    def wait_for(self, name: str, number: int) -> None:
        """Makes a branch run a node that others wait for."""
        self._effects.append(name)
        self._parts[number].take([], [name])

    def handed(self, text: str, number: int) -> str:
        """Name of a node that outputs a tensor of a branch, if that branch is taken."""
        key = number, text
        if key not in self._handed:
            name, output = output_of(text)
            made = free_name(f"{name}/handed_{output}", self.known.taken)
            self.known.taken.add(made)
            self.known.dtypes[made] = self.known.dtype(text)
            self._handed[key] = made
            self._parts[number].take([text])
        return self._handed[key]

    def made(self) -> Conditional:
        """The op that replaces the conditional, and nodes that replace its outputs."""
        nodes, guards, group = self.known.nodes, self.known.guards, self.group
        names, parts = list(group.merges), list(self._parts.values())
        indices = [name for name in names if name in guards.second_read]
        for number, part in self._parts.items():
            part.put_out([group.merges[name][number] for name in names])
            for name in indices:
                texts = data_inputs(nodes[name])
                part.put_out_index(texts.index(group.merges[name][number]))
            for branch, text in self._handed:
                part.put_out([text]) if branch == number else part.put_out_any(
                    self.known.dtypes[self._handed[branch, text]]
                )
        references = set().union(*[part.references for part in parts])
        dtypes = [self.known.dtype(text) for text in self.inputs]
        dtypes = [
            reference(dtype) if text in references else dtype
            for text, dtype in zip(self.inputs, dtypes, strict=True)
        ]
        out = [nodes[name].attr["T"].type for name in names] + [3] * len(indices)
        out += [self.known.dtypes[name] for name in self._handed.values()]
        ends = [*names, *map(index_name, indices), *self._handed.values()]
        scope = next(iter([*names, *self._effects, *ends])).rpartition("/")[0]
        op = NodeDef(name=free_name(f"{scope}/If" if scope else "If", self.known.taken))
        pure = all(part.is_pure() for part in parts)
        boolean = self.numbers in ([0, 1], [0], [1]) and group.pred not in guards.numbers
        op.op = ("Stateless" if pure else "") + ("If" if boolean else "Case")
        op.input.extend([group.pred, *self.inputs])
        op.input.extend(dict.fromkeys([wait for part in parts for wait in part.waits]))
        type_attr(op, "Tin", dtypes)
        type_attr(op, "Tout", out)
        op.attr["output_shapes"].list.SetInParent()
        if boolean:
            op.attr["Tcond"].type = dtype_of(group.pred, nodes)
        op.attr["_lower_using_switch_merge"].b = True
        made = [op]
        for i, (name, dtype) in enumerate(zip(ends, out, strict=True)):
            device = nodes[name].device if name in group.merges else ""
            made.append(identity(name, f"{op.name}:{i}", dtype, device))
        inputs = list(self.inputs.values())
        bodies = {
            f"branch_{number}": part.source(inputs, dtypes) for number, part in self._parts.items()
        }
        inside = {name for part in parts for name in (*part.nodes, *part.passed)} | set(names)
        return Conditional(made, bodies, inside, self._effects)


def index_name(merge: str) -> str:
    """Name of the node that outputs the index of the input a Merge has taken."""
    return f"{merge}/value_index"


class _Branch:
    """The nodes of one branch of a conditional."""

    def __init__(self, choice: Choice, number: int) -> None:
        known = choice.known
        self._known = known
        self._all = known.nodes
        self._guards = known.guards
        self._choice = choice
        self._key = choice.group.pred, number
        self._inputs = choice.inputs
        self._placeholders: set[str] = set()
        self.nodes: Nodes = {}
        self.passed: set[str] = set()
        self.waits: dict[str, None] = {}
        self.outputs: list[str] = []
        self.effects: list[str] = []
        self.references: set[str] = set()

    def take(self, wanted: Iterable[str], awaited: Iterable[str] = ()) -> None:
        """Collects the nodes needed for some tensors, and for nodes that others wait for."""
        self.effects += awaited
        pending = [*[source_name(self._text(text)) for text in wanted], *awaited]
        while pending:
            name = pending.pop()
            if name in self.nodes or name in self._placeholders:
                continue
            node = self._all[name]
            if self._has_effect(node):
                self._known.owners.setdefault(name, self._choice)
            inputs = [self._text(text) for text in data_inputs(node)]
            if takes_references(node):
                self.references.update(
                    text
                    for text, given in self._inputs.items()
                    if given in inputs and is_reference(text, self._all)
                )
            controls = [self._control(text) for text in control_inputs(node)]
            kept = [text for text in controls if text is not None]
            self.nodes[name] = copied(node, [*inputs, *dict.fromkeys(kept)])
            pending += [source_name(text) for text in self.nodes[name].input]

    def _has_effect(self, node: NodeDef) -> bool:
        return not is_pure(node) and node.op not in _DECIDING

    def is_pure(self) -> bool:
        """Returns whether the branch is deterministic and has no side effects."""
        return all(is_pure(node) or node.op in WAITING for node in self.nodes.values())

    def put_out(self, wanted: Iterable[str]) -> None:
        """Makes the branch return collected tensors."""
        self.outputs += [self._text(text) for text in wanted]

    def put_out_index(self, index: int) -> None:
        """Makes the branch return the index of the input that a Merge takes from it."""
        node = NodeDef(name=self._free("value_index"), op="Const")
        node.attr["dtype"].type = 3
        node.attr["value"].tensor.dtype = 3
        node.attr["value"].tensor.tensor_shape.SetInParent()
        node.attr["value"].tensor.int_val.append(index)
        self.nodes[node.name] = node
        self.outputs.append(node.name)

    def put_out_any(self, dtype: int) -> None:
        """Makes the branch return a dummy for a tensor of another branch; it is not read."""
        node = NodeDef(name=self._free("other_branch"), op="FakeParam")
        node.attr["dtype"].type = dtype
        node.attr["shape"].shape.unknown_rank = True
        self.nodes[node.name] = node
        self.outputs.append(node.name)

    def _free(self, name: str) -> str:
        return free_name(name, self._all.keys() | self.nodes.keys())

    def _text(self, text: str) -> str:
        """Translates an input of a node in the branch to an input in its body."""
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
        guard = self._guards.of.get(name, ALWAYS)
        if self._key in guard:
            owner = self._known.owners.get(name, self._choice)
            if owner is self._choice:
                return text
            text = owner.handed(text, dict(guard)[owner.group.pred])
            return self._given(text, text)
        node = self._all[name]
        if node.op == "Const" and not node.input:
            self.nodes.setdefault(name, node)
            return text
        if referred:
            self.references.add(text)
        return self._given(text, f"{name}/output_{number}" if number else name)

    def _given(self, text: str, name: str) -> str:
        """Placeholder for a tensor passed to the branch."""
        given = self._inputs.setdefault(text, name)
        self._placeholders.add(given)
        return given

    def _control(self, text: str) -> str | None:
        name = text[1:]
        node = self._all[name]
        if self._key not in self._guards.of[name]:
            if node.op not in SWITCHES:
                self.waits[text] = None
            return None
        if self._known.owners.get(name, self._choice) is not self._choice or self._is_pivot(name):
            return None
        return text

    def _is_pivot(self, name: str) -> bool:
        """Returns whether a node only signals that the branch is taken."""
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
        """Body of the branch, with the inputs of all branches."""
        graph_def = GraphDef()
        graph_def.node.extend(map(placeholder, inputs, dtypes))
        graph_def.node.extend(self.nodes.values())
        return BodySource(graph_def, inputs, self.outputs, self.effects)
