"""Nodes that change variables which freezing makes constants: some are dropped, others must fail.

A branch for training may hold an update, as batch normalization does, though what is frozen never
takes that branch. An update that other nodes only wait for is dropped: they compute the same
without it. One whose value is read fails if it runs, and only then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set as AbstractSet
from typing import NamedTuple

from ...graph import registry
from ...graph.importing.guards import Guards
from ...graph.importing.node_texts import (
    SWITCHES,
    WAITING,
    control_inputs,
    data_inputs,
    free_name,
    is_pure,
)
from ...graph.node_def import full_input, read_attrs, source_name
from ...protos.dtypes import as_dtype
from ...protos.messages import AttrValue, GraphDef, NodeDef
from ...protos.tensor_util import make_tensor_proto
from .frozen_functions import RELAYS, called

_READERS = ("ReadVariableOp", "VariableShape", "ResourceGather", "ResourceGatherNd")
INITIALIZED = ("IsVariableInitialized", "VarIsInitializedOp")
"""Ops that return whether a variable has a value."""


class Updates(NamedTuple):
    """The nodes that would change constants.

    Args:
        dropped: nodes that are not needed: updates, and what only reads them.
        failing: updates in a branch or loop, whose values are read.
    """

    dropped: set[str]
    failing: set[str]


def is_update(node: NodeDef, number: int) -> bool:
    """Returns whether a node may change the variable that is its input `number`."""
    if node.op in (*_READERS, *INITIALIZED, *RELAYS) or any(True for _ in called(node)):
        return False
    definition = registry.find(node.op)
    if definition is None:
        return False
    try:
        dtypes = definition.input_dtypes(read_attrs(definition, node.attr, shared=True))
    except ValueError:
        return False
    wanted = dtypes[number] if number < len(dtypes) else None
    return wanted is not None and (wanted.is_ref_dtype or wanted.name == "resource")


def frozen_updates(
    part: GraphDef, variables: Mapping[str, AbstractSet[str]], outputs: Sequence[str]
) -> Updates:
    """The updates of frozen variables in a graph.

    Args:
        part: the graph.
        variables: the frozen variables that tensors pass on, by the full names of these.
        outputs: the nodes that are wanted.

    Raises:
        ValueError: an update is wanted, or its value is, and it always runs.
    """
    nodes = {node.name: node for node in part.node}
    taken = {
        name: set[str]().union(*(variables.get(full_input(text), ()) for text in data_inputs(node)))
        for name, node in nodes.items()
    }
    updates = [
        node
        for node in part.node
        if any(
            full_input(text) in variables and is_update(node, i)
            for i, text in enumerate(data_inputs(node))
        )
    ]
    if not updates:
        return Updates(set(), set())
    names = {node.name for node in updates}
    readers = _readers(nodes, data_inputs)
    followers = _readers(nodes, lambda node: node.input)
    wanted = [name for name in outputs if name in nodes]
    effects = [
        name
        for name, node in nodes.items()
        if name not in names
        and node.op not in (*RELAYS, *_READERS, *INITIALIZED)
        and not is_pure(node)
    ]
    needed = _closure([*wanted, *effects], lambda name: map(source_name, data_inputs(nodes[name])))
    needed |= _awaited(nodes, wanted)
    result = Updates(set(), set())

    def reading(name: str) -> Sequence[str]:
        return readers.get(name, ())

    for update in updates:
        readings = _closure([update.name], reading)
        after = _closure([update.name], lambda name: followers.get(name, ())) - readings
        later = [name for name in after if taken[name] & taken[update.name]]
        if needed.isdisjoint(readings | _closure(later, reading)):
            result.dropped.update(readings)
        else:
            result.failing.add(update.name)
    result.failing.difference_update(result.dropped)
    if result.failing:
        _check_conditional(nodes, [node for node in updates if node.name in result.failing])
    return result


def without_nodes(part: GraphDef, dropped: AbstractSet[str]) -> GraphDef:
    """A graph without some nodes; what waited for them waits for what they waited for."""
    nodes = {node.name: node for node in part.node}
    result = GraphDef(versions=part.versions, library=part.library)
    for node in part.node:
        if node.name in dropped:
            continue
        copy = result.node.add()
        copy.CopyFrom(node)
        controls: dict[str, None] = {}
        pending, seen = list(reversed(control_inputs(node))), set[str]()
        while pending:
            text = pending.pop()
            if text[1:] not in dropped:
                controls[text] = None
            elif text not in seen:
                seen.add(text)
                pending += control_inputs(nodes[text[1:]])
        copy.input[:] = [*data_inputs(node), *controls]
        if "_class" in copy.attr:
            groups = copy.attr["_class"].list.s
            gone = {f"loc:@{name}".encode() for name in dropped}
            groups[:] = [group for group in groups if group not in gone]
    return result


def failing_update(node: NodeDef, number: int, dtype: AttrValue, taken: set[str]) -> list[NodeDef]:
    """Nodes that fail where an update of a constant runs; the last one has its name.

    Args:
        node: the update.
        number: which of its inputs was the variable.
        dtype: the dtype of the value.
        taken: the names of nodes; those of new ones are added.
    """
    value = data_inputs(node)[number]
    message = f"{node.name} ({node.op}) changes a variable that was frozen to a constant"
    never = _constant(free_name(f"{node.name}/never", taken), False, "bool")
    reason = _constant(free_name(f"{node.name}/reason", taken), message, "string")
    # The value is among the data so that the assertion runs only where the update does.
    check = NodeDef(name=free_name(f"{node.name}/Assert", taken), op="Assert", device=node.device)
    taken.update((never.name, reason.name, check.name))
    check.input.extend([never.name, reason.name, value, *control_inputs(node)])
    check.attr["T"].list.type.extend([as_dtype("string").as_datatype_enum, dtype.type])
    end = NodeDef(name=node.name, op="Identity", device=node.device)
    end.input.extend([value, f"^{check.name}"])
    end.attr["T"].CopyFrom(dtype)
    return [never, reason, check, end]


def always_initialized(node: NodeDef) -> NodeDef:
    """A node that returned whether a variable has a value, which is a constant now."""
    result = _constant(node.name, True, "bool")
    result.device = node.device
    result.input.extend(control_inputs(node))
    return result


def refused(node: NodeDef) -> ValueError:
    """The error of an update that always runs."""
    return ValueError(
        f"the outputs need {node.name!r} ({node.op}), which changes a variable, so that cannot "
        "be a constant; leave it out of the outputs, or name it in variable_names_blacklist"
    )


def _constant(name: str, value: object, dtype: str) -> NodeDef:
    node = NodeDef(name=name, op="Const")
    node.attr["dtype"].type = as_dtype(dtype).as_datatype_enum
    node.attr["value"].tensor.CopyFrom(make_tensor_proto(value, dtype))
    return node


def _readers(
    nodes: Mapping[str, NodeDef], inputs: Callable[[NodeDef], Iterable[str]]
) -> dict[str, list[str]]:
    """The names of the nodes that have each node among some of their inputs."""
    readers: dict[str, list[str]] = {}
    for name, node in nodes.items():
        for text in inputs(node):
            readers.setdefault(source_name(text), []).append(name)
    return readers


def _closure(start: Iterable[str], following: Callable[[str], Iterable[str]]) -> set[str]:
    reached: set[str] = set()
    pending = list(start)
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            pending += following(name)
    return reached


def _awaited(nodes: Mapping[str, NodeDef], wanted: Iterable[str]) -> set[str]:
    """Ops that outputs without results, such as groups, wait for."""
    groups = [name for name in wanted if nodes[name].op in WAITING]
    return _closure(
        groups,
        lambda name: [text[1:] for text in nodes[name].input] if nodes[name].op in WAITING else [],
    )


def _check_conditional(nodes: dict[str, NodeDef], updates: Iterable[NodeDef]) -> None:
    """Makes sure that updates are in branches or loops.

    Raises:
        ValueError: one is not.
    """
    try:
        guards = Guards(nodes).of
    except ValueError:  # loops
        guards = {}
    for node in updates:
        if node.name in guards:
            conditional = bool(guards[node.name])
        else:
            before = _closure([node.name], lambda name: map(source_name, nodes[name].input))
            conditional = any(nodes[name].op in SWITCHES for name in before)
        if not conditional:
            raise refused(node)
