"""Function calls in a GraphDef: the function, its arguments and its results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...protos.attr_codec import decode_attr
from ...protos.dtypes import as_dtype
from ...protos.messages import AttrValue, FunctionDef, NodeDef
from ...runtime.suggestions import pluralize
from ...shape_inference.tensor_shape import TensorShape
from .. import registry
from ..signature import REQUIRED, Signature

CALL_TYPES = ("PartitionedCall", "StatefulPartitionedCall")
_COLOCATED = b"loc:@"


def type_name(number: int) -> str:
    """Name of a dtype given by its wire number."""
    try:
        return as_dtype(number).name
    except TypeError:
        return f"type {number}"


class Call:
    """A node that calls a function of the library: by a call op, or with its name as op type.

    Args:
        node: the node.
        function: the function.
        attrs: the attrs that the function is called with.
    """

    def __init__(
        self, node: NodeDef, function: FunctionDef, attrs: Mapping[str, AttrValue]
    ) -> None:
        self.node = node
        self.function = function
        defaults = {
            attr.name: attr.default_value
            for attr in function.signature.attr
            if attr.HasField("default_value")
        }
        self._attrs = {**defaults, **attrs}
        self._used: dict[str, set[str]] = {}

    @classmethod
    def of(cls, node: NodeDef, functions: Mapping[str, FunctionDef]) -> Call | None:
        """Call that `node` represents, or None.

        Raises:
            ValueError: it calls a function that is not in the library.
        """
        if node.op in CALL_TYPES:
            func = node.attr["f"].func if "f" in node.attr else None
            if func is None or func.name not in functions:
                name = "nothing" if func is None else repr(func.name)
                raise ValueError(
                    f"the node {node.name!r} ({node.op}) calls {name}, which is not in the library"
                )
            return cls(node, functions[func.name], func.attr)
        if node.op in functions and registry.find(node.op) is None:
            return cls(node, functions[node.op], node.attr)
        return None

    def is_plain(self) -> bool:
        """Returns whether every argument and result of the function is a single tensor."""
        signature = self.function.signature
        args = [*signature.input_arg, *signature.output_arg]
        return not any(arg.number_attr or arg.type_list_attr for arg in args)

    def arguments(self) -> dict[str, str]:
        """Inputs passed, in NodeDef form, by the name of the argument.

        Raises:
            ValueError: the call has more or fewer inputs than the function, or this has two
                arguments of one name.
        """
        names = [arg.name for arg in self.function.signature.input_arg]
        if len(set(names)) < len(names):
            raise ValueError(f"{self}, of whose arguments {names} two have the same name")
        given = [text for text in self.node.input if not text.startswith("^")]
        if len(names) != len(given):
            raise ValueError(
                f"{self}: the function takes {pluralize(len(names), 'input')}, got {len(given)}"
            )
        return dict(zip(names, given, strict=True))

    def input_types(self) -> list[int]:
        """The dtypes of the arguments, as numbers of the wire.

        Raises:
            ValueError: the call does not specify them, or contradicts them by its attr `Tin`.
        """
        return self._types(self.function.signature.input_arg, "Tin")

    def output_types(self) -> list[int]:
        """The dtypes of the results, as numbers of the wire.

        Raises:
            ValueError: the call does not specify them, or contradicts them by its attr `Tout`.
        """
        return self._types(self.function.signature.output_arg, "Tout")

    def _types(self, args: Iterable[Any], stated: str) -> list[int]:
        def shown(numbers: Iterable[int]) -> str:
            return f"({', '.join(map(type_name, numbers))})"

        types = [self._type(arg) for arg in args]
        if self.node.op in CALL_TYPES:
            attr = list(self.node.attr[stated].list.type) if stated in self.node.attr else None
            if attr != types:
                raise ValueError(
                    f"{self}: {stated} must be the types {shown(types)}, got "
                    f"{'nothing' if attr is None else shown(attr)}"
                )
        return types

    def _type(self, arg: Any) -> int:
        number = int(arg.type)
        if arg.type_attr:
            if arg.type_attr not in self._attrs:
                raise ValueError(f"{self}: the call does not set {arg.type_attr!r}")
            number = int(self._attrs[arg.type_attr].type)
        if not number or arg.is_ref:
            what = "is a reference" if arg.is_ref else "has no type"
            raise ValueError(f"{self}, whose argument or result {arg.name!r} {what}")
        return number

    def fill_in(self, node: NodeDef, names: Mapping[str, str]) -> None:
        """Resolves placeholders in a node of the body: attrs of the call, and colocation.

        Args:
            node: a copy of the node, which is changed.
            names: the names that the nodes of the body get, by their names there.

        Raises:
            ValueError: the call does not set an attr.
        """
        for name in list(node.attr):
            value = node.attr[name]
            if value.WhichOneof("value") == "placeholder":
                value.CopyFrom(self._set(value.placeholder))
            elif value.WhichOneof("value") == "func":
                for inner in list(value.func.attr):
                    if value.func.attr[inner].WhichOneof("value") == "placeholder":
                        value.func.attr[inner].CopyFrom(
                            self._set(value.func.attr[inner].placeholder)
                        )
        if "_class" in node.attr:
            groups = node.attr["_class"].list.s
            kept = []
            for group in groups:
                target = group.removeprefix(_COLOCATED).decode(errors="replace")
                if not group.startswith(_COLOCATED):
                    kept.append(group)
                elif target in names:  # TensorFlow ignores names outside the function
                    kept.append(_COLOCATED + names[target].encode())
            groups[:] = kept

    def _set(self, name: str) -> AttrValue:
        if name not in self._attrs:
            raise ValueError(f"{self}: the call does not set the attr {name!r}")
        return self._attrs[name]

    def output_positions(
        self, node: NodeDef, functions: Mapping[str, FunctionDef]
    ) -> dict[str, int] | None:
        """Index of the first output of each result of a node of the body, by name.

        Returns:
            None if unknown: the node is of an unregistered type, and has several results.
        """
        if node.op in CALL_TYPES:
            return {"output": 0}
        if node.op in functions and registry.find(node.op) is None:
            results = functions[node.op].signature.output_arg
            return {arg.name: i for i, arg in enumerate(results)}
        definition = registry.find(node.op)
        if definition is None:
            return self._by_use(node)
        positions: dict[str, int] = {}
        start = 0
        for spec in definition.signature.outputs:
            positions[spec.name] = start
            if spec.number_attr is not None:
                start += int(self._value(node, definition.signature, spec.number_attr))
            elif spec.type_list_attr is not None:
                start += len(self._value(node, definition.signature, spec.type_list_attr))
            else:
                start += 1
        return positions

    def _value(self, node: NodeDef, signature: Signature, name: str) -> Any:
        """Value of an attr of a node, or its default."""
        default = signature.attrs[name].default
        if name not in node.attr and default is not REQUIRED:
            return default
        try:
            value = node.attr[name] if name in node.attr else self._set(name)
            if value.WhichOneof("value") == "placeholder":
                value = self._set(value.placeholder)
            number = decode_attr(value, TensorShape)
            return number if isinstance(number, list) else int(number)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{self}: attr {name!r} of {node.name!r}: {error}") from error

    def _by_use(self, node: NodeDef) -> dict[str, int] | None:
        """Positions at which only one result of `node` is ever read."""
        if not self._used:
            texts = [text for other in self.function.node_def for text in other.input]
            for text in [*texts, *self.function.ret.values()]:
                name, _, rest = text.partition(":")
                self._used.setdefault(name, set()).add(rest.partition(":")[0])
        used = self._used.get(node.name, set())
        return dict.fromkeys(used, 0) if len(used) <= 1 else None

    def __str__(self) -> str:
        name = self.function.signature.name
        return f"the node {self.node.name!r} ({self.node.op}) calls {name!r}"
