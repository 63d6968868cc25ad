"""Frames of TensorFlow 1.x, and of the lowered form of TensorFlow 2, as ops of type `While`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ...protos.messages import GraphDef, NodeDef
from ..node_def import source_name
from .branches import with_branches
from .frames import Frame
from .node_texts import (
    ENTERS,
    EXITS,
    MERGES,
    NEXTS,
    SWITCHES,
    WAITING,
    BodySource,
    IrregularError,
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
    type_attr,
)


class Variable(NamedTuple):
    """A loop variable: its initial value, and its value after each iteration."""

    name: str
    start: str
    dtype: int
    next: str | None


class Loop:
    """Conversion of one frame to a condition and a body.

    Args:
        frame: the frame; the frames inside it have become ops already.
        nodes: all nodes by name.
        taken: the names that are taken.

    Raises:
        IrregularError: the nodes of the frame do not form a loop.
    """

    def __init__(self, frame: Frame, nodes: Nodes, taken: set[str]) -> None:
        self.frame = frame
        self.nodes = nodes
        self.name = free_name(frame.name or "while", taken)
        self.inside = set(frame.nodes)
        self.controls: dict[str, None] = {}
        self.variables: dict[str, Variable] = {}
        self.merge_of: dict[str, str] = {}
        conds = [name for name in frame.nodes if nodes[name].op == "LoopCond"]
        self.conds = set(conds)
        asked = {output_of(nodes[name].input[0]) for name in conds}
        if len(asked) != 1:
            raise IrregularError(
                f"the frame {frame} has {len(conds)} LoopConds where a loop has one condition"
            )
        self.condition = nodes[conds[0]].input[0]
        self._find_variables()
        self.switches = {
            name: self._data(nodes[name].input[0])
            for name in frame.nodes
            if nodes[name].op in SWITCHES and self._is_condition(nodes[name].input[1])
        }
        self.body_part = self._body_part()

    def _find_variables(self) -> None:
        for name in self.frame.nodes:
            node = self.nodes[name]
            if node.op not in ENTERS:
                continue
            for text in control_inputs(node):
                self.controls[text] = None
            [start] = data_inputs(node)
            dtype = node.attr["T"].type
            if node.op == "RefEnter" and node.attr["is_constant"].b:
                dtype = reference(dtype)  # so that the body can change the variable
            self.variables[name] = Variable(name, start, dtype, None)
        for name in self.frame.nodes:
            node = self.nodes[name]
            if node.op not in MERGES:
                continue
            inputs = [source_name(text) for text in data_inputs(node)]
            nexts = [source for source in inputs if self.nodes[source].op in NEXTS]
            if not nexts:
                continue
            enters = [source for source in inputs if source in self.variables]
            if len(inputs) != 2 or len(nexts) != 1 or len(enters) != 1:
                raise IrregularError(
                    f"the node {name!r} ({node.op}) merges {', '.join(map(repr, inputs))}, where a "
                    "variable of a loop has an Enter and a NextIteration"
                )
            enter = self.variables[enters[0]]
            if enter.next is not None:
                raise IrregularError(
                    f"the node {enters[0]!r} ({self.nodes[enters[0]].op}) begins two variables of "
                    "a loop, where each has an Enter of its own"
                )
            after = self.nodes[nexts[0]]
            for text in control_inputs(after):
                self.controls.setdefault(text, None)
            self.variables[enters[0]] = enter._replace(next=after.input[0])
            self.merge_of[name] = enters[0]

    def _is_condition(self, text: str) -> bool:
        name, _ = output_of(text)
        while self.nodes[name].op == "Identity" and name in self.inside:
            name, _ = output_of(self.nodes[name].input[0])
        return name in self.conds

    def _data(self, text: str) -> str:
        """Source of a tensor inside the frame: the Enter of a variable, or itself."""
        name, number = output_of(text)
        if name in self.merge_of and number == 0:
            return self.merge_of[name]
        return text

    def _body_part(self) -> set[str]:
        """Nodes that run only if the condition holds."""
        consumers: dict[str, list[str]] = {}
        begun = []
        for name in self.frame.nodes:
            node = self.nodes[name]
            if node.op in EXITS or node.op in NEXTS or name in self.switches:
                continue
            for text in node.input:
                source = source_name(text)
                consumers.setdefault(source, []).append(name)
                if source in self.switches and not text.startswith("^"):
                    begun.append(name)
        found: set[str] = set()
        while begun:
            name = begun.pop()
            if name not in found:
                found.add(name)
                begun += consumers.get(name, ())
        return found

    def replacement(self, prefix: str) -> tuple[list[NodeDef], dict[str, BodySource]]:
        """Nodes that replace the frame, and its condition and body by name.

        Args:
            prefix: the prefix of the names of bodies.
        """
        condition = _Part(self, in_body=False).made([self.condition])
        results = {name: v.next or name for name, v in self.variables.items()}
        waits = [
            text
            for name in self.frame.nodes
            if self.nodes[name].op in NEXTS
            for text in control_inputs(self.nodes[name])
        ]
        body = _Part(self, in_body=True).made(list(results.values()), waits)
        extra = [*condition.outside, *(x for x in body.outside if x not in condition.outside)]
        names = [*self.variables, *extra]
        starts = [v.start for v in self.variables.values()] + extra
        dtypes = [v.dtype for v in self.variables.values()]
        dtypes += [dtype_of(text, self.nodes) for text in extra]
        sources = {
            f"{prefix}{self.name}_cond": condition.source(names, dtypes),
            f"{prefix}{self.name}_body": body.source(names, dtypes),
        }
        effects = [node for part in (condition, body) for node in part.nodes.values()]
        loop = NodeDef(name=self.name, op="StatelessWhile")
        if not all(is_pure(node) or node.op in WAITING for node in effects):
            loop.op = "While"
        loop.input.extend(starts)
        outer = [
            text
            for text in (*self.controls, *condition.waits, *body.waits)
            if text[1:] not in self.inside
        ]
        loop.input.extend(dict.fromkeys(outer))
        type_attr(loop, "T", dtypes)
        loop.attr["cond"].func.name, loop.attr["body"].func.name = sources
        loop.attr["output_shapes"].list.SetInParent()
        loop.attr["_lower_using_switch_merge"].b = True
        return [loop, *self._exits(names)], sources

    def _exits(self, names: list[str]) -> Iterable[NodeDef]:
        for name in self.frame.nodes:
            node = self.nodes[name]
            if node.op not in EXITS:
                continue
            source, number = output_of(node.input[0])
            while source in self.inside and self.nodes[source].op == "Identity":
                source, number = output_of(self.nodes[source].input[0])
            variable = self.switches.get(source)
            if variable not in self.variables or number != 0:
                raise IrregularError(
                    f"the node {name!r} ({node.op}) has an Exit that is not of a loop variable"
                )
            made = identity(
                name, f"{self.name}:{names.index(variable)}", node.attr["T"].type, node.device
            )
            made.input.extend(control_inputs(node))
            yield made


class _Part:
    """Nodes of a condition or a body, taken from a frame."""

    def __init__(self, loop: Loop, *, in_body: bool) -> None:
        self.loop = loop
        self.in_body = in_body
        self.nodes: Nodes = {}
        self.outputs: list[str] = []
        self.outside: dict[str, str] = {}
        self.waits: dict[str, None] = {}

    def made(self, wanted: list[str], waits: Iterable[str] = ()) -> _Part:
        """Collects the nodes needed for `wanted`, and for the ops named in `waits`."""
        self.outputs = [self._text(text) for text in wanted]
        self.awaited = [text for text in map(self._control, waits) if text is not None]
        pending = [source_name(text) for text in (*self.outputs, *self.awaited)]
        while pending:
            name = pending.pop()
            if name in self.nodes or name in self.loop.variables or name in self.outside.values():
                continue
            node = self.loop.nodes[name]
            shared = self.in_body and name not in self.loop.body_part
            if shared and not is_pure(node) and node.op not in WAITING:
                raise IrregularError(
                    f"the node {name!r} ({node.op}) has an effect, and both the condition and the "
                    "body of a loop depend on it"
                )
            inputs = [self._text(text) for text in data_inputs(node)]
            controls = [self._control(text) for text in control_inputs(node)]
            kept = [text for text in controls if text is not None]
            self.nodes[name] = copied(node, [*inputs, *dict.fromkeys(kept)])
            pending += [source_name(text) for text in self.nodes[name].input]
        return self

    def _text(self, text: str) -> str:
        """Translates an input of a node in the frame to an input in the part."""
        loop = self.loop
        if text in loop.variables:
            return text
        name, number = output_of(text)
        if name in loop.switches:
            if not self.in_body or number != 1:
                raise IrregularError(
                    f"the tensor {text!r} is there only when the loop has ended, and is read in it"
                )
            return self._text(loop.switches[name])
        if name in loop.merge_of and number == 0:
            return loop.merge_of[name]
        if name in loop.variables:
            return name
        if name not in loop.inside:
            return self.outside.setdefault(text, f"{loop.name}_outer_{len(self.outside)}")
        node = loop.nodes[name]
        if name in loop.conds:
            return self._text(loop.condition)
        if name in loop.merge_of or node.op in NEXTS:
            raise IrregularError(f"the tensor {text!r} of a {node.op} is read inside the loop")
        return text

    def _control(self, text: str) -> str | None:
        """Control input in the part; None if it is implied."""
        name, loop = text[1:], self.loop
        if name not in loop.inside:
            self.waits[text] = None
            return None
        known = (
            name in loop.variables
            or name in loop.merge_of
            or name in loop.switches
            or name in loop.conds
        )
        if known or (self.in_body and name not in loop.body_part):
            return None
        return text

    def source(self, names: list[str], dtypes: list[int]) -> BodySource:
        """Body of the part, with all loop variables as inputs."""
        used = {*self.loop.variables, *self.outside.values()}
        inputs = [self.outside.get(name, name) for name in names]
        for i, name in enumerate(inputs):
            if name not in used:
                inputs[i] = free_name(f"{self.loop.name}_unused_{i}", self.nodes)
        graph_def = GraphDef()
        graph_def.node.extend(map(placeholder, inputs, dtypes))
        graph_def.node.extend(self.nodes.values())
        outputs = self.outputs
        if self.in_body:
            outputs = [*self.outputs, *inputs[len(self.outputs) :]]
        source = BodySource(graph_def, inputs, outputs, [text[1:] for text in self.awaited])
        return with_branches(source)
