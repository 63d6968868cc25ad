"""Lowering of ops with bodies to nodes without functions, for readers that lack functions.

An op type with bodies states by `OpDef.lowering` how its ops are written in terms of other nodes,
which include those of the bodies. That is also the one way to write an op whose bodies take
references to variables, as functions cannot take any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..protos.dtypes import DType
from ..protos.messages import NodeDef
from .graph_protocols import Op, Value
from .node_def import input_name, write_node_def

if TYPE_CHECKING:
    Lowering = Callable[["LoweredNodes", "Lowered"], "Written"]


class Place(NamedTuple):
    """Place of new nodes: at top level, in a branch, or in the condition or body of a loop.

    Args:
        pivot: the node to wait for that signals that the place is reached; none at top level.
        invariants: the tensors that exist even in the iteration in which the loop has ended, so
            that nodes which take only these must wait for the pivot.
    """

    pivot: str | None = None
    invariants: frozenset[str] = frozenset()


OUTSIDE = Place()


class Written(NamedTuple):
    """Written nodes: the results, as inputs of nodes, and the names of nodes to wait for."""

    outputs: list[str]
    last: list[str]


class Lowered(NamedTuple):
    """An op to be lowered.

    Args:
        op: the op.
        inputs: its inputs, as inputs of nodes.
        waits: the names of the nodes that it waits for.
        place: the place of the new nodes.
        names: required names of results, by index.
    """

    op: Op
    inputs: list[str]
    waits: list[str]
    place: Place
    names: dict[int, str]

    def scoped(self, name: str) -> str:
        """A name in the scope of the op."""
        scope, slash, _ = self.op.name.rpartition("/")
        return f"{scope}{slash}{name}"


class LoweredNodes:
    """Nodes of a graph under construction.

    Args:
        taken: the names of the ops of the graph; more are added.
        everything: whether all ops with bodies are lowered; otherwise only those that take
            references.
    """

    def __init__(self, taken: set[str], *, everything: bool) -> None:
        self.nodes: list[NodeDef] = []
        self._everything = everything
        self._taken = taken
        self._outside = _Texts()
        self._calls: list[str] = []
        # For results of lowered ops: the Identity that passes them on, whose name goes to the node
        # that now makes them.
        self._handed_on: dict[tuple[Op, int], Op] = {}

    def concerns(self, op: Op) -> bool:
        """Returns whether an op is lowered."""
        return op.definition.lowering is not None and (
            self._everything or any(tensor.dtype.is_ref_dtype for tensor in op.inputs)
        )

    def prepare(self, ops: Sequence[Op]) -> bool:
        """Scans the ops to be written; returns whether any is to be lowered."""
        for op in ops:
            if op.type == "Identity" and not op.controls and not op.device:
                source = op.inputs[0]
                maker = source.op.graph.narrowest(source.op)
                if self.concerns(source.op):
                    self._handed_on.setdefault((maker, source.value_index), op)
        return any(map(self.concerns, ops))

    def write(self, op: Op) -> None:
        """Writes an op of the graph."""
        self._write(op, OUTSIDE, self._outside, ())

    def taken(self) -> list[NodeDef]:
        """Returns the written nodes, giving up ownership."""
        nodes, self.nodes = self.nodes, []
        return nodes

    def _write(self, op: Op, place: Place, texts: _Texts, more: Iterable[str]) -> None:
        inputs = [texts.of(tensor) for tensor in op.inputs]
        waits = [name for control in op.controls for name in texts.last(control)]
        waits = list(dict.fromkeys([*waits, *more]))
        key = op.graph.narrowest(op)
        if self.concerns(op) and op.definition.lowering is not None:
            names = {}
            for i in range(len(op.outputs)):
                if place is OUTSIDE and (key, i) in self._handed_on:
                    names[i] = self._handed_on[key, i].name
            written = op.definition.lowering(self, Lowered(op, inputs, waits, place, names))
            texts.put(key, written)
            return
        if place is OUTSIDE and op in self._handed_on.values() and inputs == [op.name]:
            return  # its producer has its name
        node = NodeDef()
        write_node_def(op, node)
        if place is not OUTSIDE:
            node.name = self.free(node.name)
            node.attr.pop("_class", None)
        del node.input[:]
        waits = self._alive(place, inputs, waits)
        node.input.extend([*inputs, *(f"^{name}" for name in waits)])
        self.nodes.append(node)
        outputs = [f"{node.name}:{i}" if i else node.name for i in range(len(op.outputs))]
        texts.put(key, Written(outputs, [node.name]))

    def free(self, name: str) -> str:
        """`name`, or the first of `name_1`, `name_2`, … that no node has; it is taken then."""
        free, number = name, 0
        while free in self._taken:
            number += 1
            free = f"{name}_{number}"
        self._taken.add(free)
        return free

    def node(
        self,
        place: Place,
        op_type: str,
        name: str,
        inputs: Sequence[str],
        waits: Sequence[str] = (),
        *,
        named: bool = False,
        **attrs: Any,
    ) -> str:
        """Writes a node.

        Args:
            place: its place.
            op_type: the op type.
            name: its name, made unique if it is taken.
            inputs: tensors, as inputs of nodes.
            waits: names of nodes to wait for.
            named: whether `name` is used even if it is taken.
            attrs: bools, ints, strings, dtypes and lists of dtypes.

        Returns:
            The name.
        """
        node = NodeDef(name=name if named else self.free(name), op=op_type)
        waits = self._alive(place, inputs, waits)
        node.input.extend([*inputs, *(f"^{wait}" for wait in waits)])
        for key, value in attrs.items():
            if isinstance(value, bool):
                node.attr[key].b = value
            elif isinstance(value, int):
                node.attr[key].i = value
            elif isinstance(value, DType):
                node.attr[key].type = value.base_dtype.as_datatype_enum
            elif isinstance(value, list):
                dtypes = [dtype.base_dtype.as_datatype_enum for dtype in value]
                node.attr[key].list.type.extend(dtypes)
            else:
                node.attr[key].s = value.encode()
        self.nodes.append(node)
        return node.name

    def _alive(self, place: Place, inputs: Sequence[str], waits: Sequence[str]) -> list[str]:
        """Control inputs of a node that make it run only if its place is reached."""
        known = list(dict.fromkeys(waits))
        if place.pivot is not None and not known and place.invariants.issuperset(inputs):
            known.append(place.pivot)
        return known

    def within(self, place: Place, text: str, dtype: DType, waits: Sequence[str] = ()) -> str:
        """Tensor that exists only if a place is reached, and after some nodes."""
        if not waits and text not in place.invariants:
            return text
        name = f"{text.partition(':')[0]}/after"
        return self.node(place, "Identity", name, [text], waits, T=dtype)

    def body(
        self, body: Any, given: Sequence[str | None], place: Place, waits: Sequence[str] = ()
    ) -> Written:
        """Writes the nodes of a body.

        Args:
            body: the Body.
            given: its inputs, as inputs of nodes; None for those that it does not use.
            place: its place.
            waits: names of nodes that its effects wait for.

        Returns:
            Its outputs, and the last of its effects.

        Raises:
            TypeError: it is a recursive function.
        """
        if body.name in self._calls:
            raise TypeError(
                f"the function {body.name!r} calls itself: it cannot be written without functions"
            )
        self._calls.append(body.name)
        texts = _Texts()
        for tensor, text in zip(body.inputs, given, strict=True):
            if text is not None:
                texts.put(tensor.op, Written([text], []))
        passed = {tensor.op for tensor in body.inputs}
        needed = body.needed()
        replaced = body.graph.replaced(needed)
        effects = set(body.effects)
        last = list(waits)
        for op in needed:
            if op in passed or op in replaced:
                continue
            self._write(op, place, texts, last if op in effects else ())
            if op in effects:
                last = texts.last(op)
        self._calls.pop()
        return Written([texts.of(tensor) for tensor in body.outputs], last if effects else [])


class _Texts:
    """Names of the tensors and operations of one graph, as nodes write them."""

    def __init__(self) -> None:
        self._written: dict[Op, Written] = {}

    def put(self, op: Op, written: Written) -> None:
        """Records the nodes written for an op."""
        self._written[op] = written

    def of(self, tensor: Value) -> str:
        """Input form of a tensor."""
        written = self._written.get(tensor.op.graph.narrowest(tensor.op))
        return input_name(tensor) if written is None else written.outputs[tensor.value_index]

    def last(self, op: Op) -> list[str]:
        """Names of the nodes to wait for instead of an op."""
        written = self._written.get(op.graph.narrowest(op))
        return [op.name] if written is None else written.last
