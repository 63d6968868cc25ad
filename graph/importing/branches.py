"""Switch and Merge as ops of type `If` and `Case`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ...protos.messages import GraphDef, NodeDef
from ..node_def import source_name
from .choices import Branching, Choice, Conditional, Known
from .guards import Guards
from .node_order import sorted_by_need
from .node_texts import (
    MERGES,
    SWITCHES,
    BodySource,
    Nodes,
    control_inputs,
    data_inputs,
    free_name,
    output_of,
    sources,
)


def with_branches(source: BodySource) -> BodySource:
    """A body in which conditionals are ops; the bodies of these belong to the names of the body."""
    nodes = {node.name: node for node in source.graph_def.node}
    if not any(node.op in MERGES or node.op in SWITCHES for node in nodes.values()):
        return source
    found = conditionals(nodes, set(nodes), "", source.outputs, source.effects)
    bodies: dict[str, BodySource] = {}
    waits = op_of_effects(found.made)
    for name, node in nodes.items():
        nodes[name] = waiting_for_ops(node, waits)
    for conditional in found.made:
        bodies.update(conditional.bodies)
        for node in conditional.nodes:
            nodes[node.name] = node
    outputs = [found.handed.get(text, text) for text in source.outputs]
    effects = [waits.get(name, name) for name in source.effects]
    needed: dict[str, None] = {}
    pending = [*map(source_name, outputs), *effects, *source.inputs]
    while pending:
        name = pending.pop()
        if name not in needed:
            needed[name] = None
            pending += sources(nodes[name])
    graph_def = GraphDef()
    graph_def.node.extend([nodes[name] for name in nodes if name in needed])
    bodies = {**source.bodies, **bodies}
    return BodySource(graph_def, source.inputs, outputs, effects, bodies)


def op_of_effects(found: list[Conditional]) -> dict[str, str]:
    """Op that has absorbed each node of a branch that others wait for."""
    return {name: item.nodes[0].name for item in found for name in item.effects}


def waiting_for_ops(node: NodeDef, ops: Mapping[str, str]) -> NodeDef:
    """Makes a node wait for the ops that have absorbed the nodes it waited for."""
    if not any(text.startswith("^") and text[1:] in ops for text in node.input):
        return node
    copy = NodeDef()
    copy.CopyFrom(node)
    waits = [f"^{ops.get(text[1:], text[1:])}" for text in control_inputs(node)]
    copy.input[:] = [*data_inputs(node), *dict.fromkeys(waits)]
    return copy


class Found(NamedTuple):
    """Conditionals, and substitutes for tensors of their branches that are read outside."""

    made: list[Conditional]
    handed: dict[str, str]


def conditionals(
    nodes: Nodes,
    taken: set[str],
    prefix: str = "",
    wanted: Iterable[str] = (),
    awaited: Iterable[str] = (),
) -> Found:
    """The conditionals among nodes, those inside others left out.

    Args:
        nodes: by name; they form no cycle.
        taken: the names in use; new ones are added.
        prefix: the prefix of the names of bodies.
        wanted: tensors to hand out, be they in a branch or not.
        awaited: the names of nodes to run where the branch that they are in is taken.
    """
    guards = Guards(nodes)
    groups: dict[tuple[str, str, tuple[int, ...]], Branching] = {}
    for name, (pred, inputs) in guards.decided.items():
        if guards.of[name] or pred is None:
            continue
        scope = name.rpartition("/")[0]
        key = pred, scope, tuple(sorted(inputs))
        groups.setdefault(key, Branching(pred, {})).merges[name] = inputs
    single = [
        Branching(group.pred, {name: inputs})
        for group in groups.values()
        for name, inputs in group.merges.items()
    ]
    results = [text for text in wanted if guards.of.get(source_name(text))]
    effects = [name for name in (*guards.awaited, *awaited) if guards.of.get(name)]
    found = _made(Known(nodes, guards, taken), groups.values(), results, effects)
    if _in_cycle(nodes, found.made):
        found = _made(Known(nodes, guards, taken), single, results, effects)
    return found._replace(made=[_renamed(item, taken, prefix) for item in found.made])


def _made(
    known: Known, groups: Iterable[Branching], wanted: Iterable[str], effects: Iterable[str]
) -> Found:
    """The conditionals of groups of merges, and of nodes that are to run without being read."""
    choices = [Choice(known, group) for group in groups]
    of_pred = {choice.group.pred: choice for choice in reversed(choices)}

    def of_node(name: str) -> tuple[Choice, int]:
        """The conditional that a node is in, and the branch."""
        guard = known.guards.of[name]
        outer = sorted(key for key in guard if not known.guards.of.get(output_of(key[0])[0]))
        branches = dict(outer or sorted(guard))
        choice = known.owners.get(name)
        if choice is None or choice.group.pred not in branches:
            preds = [pred for pred in branches if pred in of_pred]
            if preds:
                choice = of_pred[preds[0]]
            else:
                choice = Choice(known, Branching(next(iter(branches)), {}))
                of_pred[choice.group.pred] = choice
                choices.append(choice)
        return choice, branches[choice.group.pred]

    handed = {}
    for text in dict.fromkeys(wanted):
        choice, number = of_node(source_name(text))
        handed[text] = choice.handed(text, number)
    for name in dict.fromkeys(effects):
        choice, number = of_node(name)
        choice.wait_for(name, number)
    made = [choice.made() for choice in choices]
    return Found(
        [
            item._replace(bodies={key: with_branches(body) for key, body in item.bodies.items()})
            for item in made
        ],
        handed,
    )


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
