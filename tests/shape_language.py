"""The little language in which shape rules are tested.

infers("Gather", "[batch,?];[3]", "[3,?]")
infers("ExpandDims", "[2];[]", "[2,1]", values={"dim": -1})
infers("ConcatV2", "[rows,2] + [rows,?];[]", "[rows,?]", values={"axis": 1})
refuses("Gather", "[];[1]", "rank at least 1")
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

import tensordraft as td
from tensordraft.graph.graph_protocols import RegisteredOpType
from tensordraft.graph.registry import lookup
from tensordraft.graph.signature import ArgSpec

__tracebackhide__ = True  # a failure shows its message, not the frames of the language


def infers(op: str, inputs: str, outputs: str, /, **options: Any) -> None:
    """Checks which shapes an op is known to return, for shapes of its inputs.

    Args:
        op: the op type.
        inputs: a shape for each argument, separated by `;`; those of a list argument are joined by
            `+`. A size is a number, a name, or `?`; `?` alone is a shape of unknown rank.
        outputs: the shapes of the outputs, separated by `;`. A size may be any expression of the
            names, as it prints.
        options: `values={argument: value}` for inputs that are constants, whose shape in `inputs`
            may be left empty; `dtypes={argument or type attr: dtype}`, by default float32 or else
            the first that is allowed; and attrs.
    """
    built = _call(td.Graph(), op, inputs, **options)
    actual = ";".join(shape_text(tensor.shape) for tensor in built.outputs)
    expected = "".join(outputs.split())
    assert actual == expected, f"{op} of {inputs!r}: got {actual!r}, expected {expected!r}"


def refuses(op: str, inputs: str, clause: str, /, **options: Any) -> None:
    """Checks that an op cannot be built on inputs of such shapes.

    Args:
        op: the op type.
        inputs: as for `infers`.
        clause: a regular expression that is found in the message.
        options: as for `infers`.
    """
    graph = td.Graph()
    try:
        built = _call(graph, op, inputs, **options)
    except (TypeError, ValueError) as error:
        message = str(error)
    else:
        shapes = ";".join(shape_text(tensor.shape) for tensor in built.outputs)
        pytest.fail(f"{op} of {inputs!r}: got {shapes!r}, expected an error with {clause!r}")
    where = f"{op} of {inputs!r}"
    assert re.search(clause, message), f"{where}: expected {clause!r} in {message!r}"
    assert "op" not in [item.name for item in graph.get_operations()], "a refused op was added"


def shape_text(shape: td.TensorShape) -> str:
    """A shape as the language writes it."""
    if shape.rank is None:
        return "?"
    return f"[{','.join(str(size).replace(' ', '') for size in shape)}]"


def parse_shape(text: str) -> list[int | str | None] | None:
    """A shape as `td.placeholder` takes it."""
    text = text.strip()
    if text == "?":
        return None
    match = re.fullmatch(r"\[(.*)\]", text)
    assert match is not None, f"{text!r} is no shape"
    sizes = [size.strip() for size in match[1].split(",") if size.strip()]
    return [None if s == "?" else int(s) if s.isdecimal() else s for s in sizes]


def _call(
    graph: td.Graph,
    op: str,
    inputs: str,
    values: Mapping[str, Any] | None = None,
    dtypes: Mapping[str, Any] | None = None,
    **attrs: Any,
) -> td.Operation:
    definition = lookup(op)
    specs = definition.signature.inputs
    texts = inputs.split(";") if specs else []
    assert len(texts) == len(specs), f"{op} takes {[spec.name for spec in specs]}, got {inputs!r}"

    def tensor(text: str, dtype: Any, value: Any) -> td.Tensor:
        if value is None:
            return td.placeholder(dtype, parse_shape(text))
        return td.constant(value, dtype)

    arguments: list[Any] = []
    with graph.as_default():
        for spec, text in zip(specs, texts, strict=True):
            dtype = _dtype_of(spec, definition, dtypes or {})
            value = (values or {}).get(spec.name)
            if not spec.is_list:
                arguments.append(tensor(text, dtype, value))
                continue
            items = text.split("+") if text.strip() else []
            several = dtype if isinstance(dtype, (list, tuple)) else [dtype] * len(items)
            arguments.append([*map(tensor, items, several, value or [None] * len(items))])
        definition(*arguments, name="op", **attrs)
    return graph.get_operation_by_name("op")


def _dtype_of(spec: ArgSpec, definition: RegisteredOpType, dtypes: Mapping[str, Any]) -> Any:
    attr = spec.type_attr or spec.type_list_attr or ""
    for name in (spec.name, attr):
        if name in dtypes:
            return dtypes[name]
    if spec.dtype is not None:
        return spec.dtype
    allowed = definition.signature.attrs[attr].allowed or (td.float32,)
    return td.float32 if td.float32 in allowed else allowed[0]
