"""Sequences and optional values of ONNX, as lists of tensors and optionals of TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...ops.control_flow.while_loop import while_loop
from ...protos import dtypes
from ...protos.dtypes import DType
from ...shape_inference.tensor_shape import TensorShape
from .call import Call, Rule
from .elementwise import selected
from .nodes import (
    apply,
    as_size,
    axis_of,
    cast,
    rank_of,
    reshape,
    size_of,
    squeeze,
    stated,
    transpose,
)
from .tensors import MalformedError
from .values import (
    OptionalValue,
    SequenceValue,
    held,
    optional_of,
    stated_type,
    type_of,
)

_UNKNOWN = np.int32(-1)


def _sequence(c: Call, index: int = 0) -> SequenceValue:
    value = c.value(index)
    if isinstance(value, OptionalValue) and value.inner.kind == "sequence":
        value = held(value)
    if not isinstance(value, SequenceValue):
        raise MalformedError(f"its input {index} is a {type_of(value).kind}, not a sequence")
    return value


def _empty(dtype: DType) -> Tensor:
    return apply("EmptyTensorList", _UNKNOWN, _UNKNOWN, element_dtype=dtype)


def _pushed(items: Tensor, value: Tensor) -> Tensor:
    return apply("TensorListPushBack", items, value)


def item(sequence: SequenceValue, place: Any) -> Tensor:
    """A tensor of a sequence, by an int32."""
    return apply(
        "TensorListGetItem", sequence.handle, place, _UNKNOWN, element_dtype=sequence.dtype
    )


def _length(sequence: SequenceValue) -> Tensor:
    return apply("TensorListLength", sequence.handle)


def _place(c: Call, index: int, length: Tensor) -> Tensor:
    """A position, counted from the front, as an int32."""
    place = cast(c[index], dtypes.int32)
    place = place if place.shape.ndims == 0 else reshape(place, [])
    return selected(apply("Less", place, np.int32(0)), apply("AddV2", place, length), place)


def _copied(target: Tensor, source: SequenceValue, start: Any, stop: Any) -> Tensor:
    """A list with the tensors of a part of a sequence behind its own."""

    def goes_on(i: Tensor, _: Tensor) -> Tensor:
        return apply("Less", i, stop)

    def step(i: Tensor, target: Tensor) -> list[Tensor]:
        return [apply("AddV2", i, np.int32(1)), _pushed(target, item(source, i))]

    _, result = while_loop(goes_on, step, [apply("Identity", start), target])
    return result


def _sequence_empty(c: Call) -> SequenceValue:
    dtype = c.dtype("dtype", dtypes.float32)
    return SequenceValue(_empty(dtype), dtype)


def _sequence_construct(c: Call) -> SequenceValue:
    values = c.all()
    if not values or any(value.dtype is not values[0].dtype for value in values):
        raise MalformedError("a sequence is made of tensors of one dtype, at least one")
    items = _empty(values[0].dtype)
    for value in values:
        items = _pushed(items, value)
    return SequenceValue(items, values[0].dtype)


def _sequence_at(c: Call) -> Tensor:
    sequence = _sequence(c)
    return item(sequence, _place(c, 1, _length(sequence)))


def _sequence_length(c: Call) -> Tensor:
    return cast(_length(_sequence(c)), dtypes.int64)


def _sequence_insert(c: Call) -> SequenceValue:
    sequence = _sequence(c)
    if c[1].dtype is not sequence.dtype:
        raise MalformedError(f"it inserts {c[1].dtype.name} into {sequence.dtype.name}")
    if not c.has(2):
        return sequence._replace(handle=_pushed(sequence.handle, c[1]))
    length = _length(sequence)
    place = _checked(_place(c, 2, length), length)
    items = _copied(_empty(sequence.dtype), sequence, np.int32(0), place)
    items = _copied(_pushed(items, c[1]), sequence, place, length)
    return sequence._replace(handle=items)


def _checked(place: Tensor, length: Tensor) -> Tensor:
    """A position that is at most the length; others are an error of the run."""
    # The gather refuses a position that is not among those that exist.
    numbers = apply("Range", np.int32(0), apply("AddV2", length, np.int32(1)), np.int32(1))
    return apply("GatherV2", numbers, place, np.int32(0))


def _sequence_erase(c: Call) -> SequenceValue:
    sequence = _sequence(c)
    length = _length(sequence)
    last = apply("Sub", length, np.int32(1))
    place = _checked(_place(c, 1, length) if c.has(1) else last, last)
    items = _copied(_empty(sequence.dtype), sequence, np.int32(0), place)
    items = _copied(items, sequence, apply("AddV2", place, np.int32(1)), length)
    return sequence._replace(handle=items)


def _split_to_sequence(c: Call) -> SequenceValue:
    x = c[0]
    rank = rank_of(x)
    axis = axis_of(c.int("axis", 0), rank)
    total = as_size(size_of(x, axis))
    keep = bool(c.int("keepdims", 1)) or c.has(1)
    sizes: Any
    if not c.has(1):
        sizes = apply("Fill", apply("Pack", [total]), np.int64(1))
    elif rank_of(c[1]) == 0:
        chunk = cast(c[1], dtypes.int64)
        above = apply("Sub", apply("AddV2", total, chunk), np.int64(1))
        starts = apply(
            "Mul", apply("Range", np.int64(0), apply("FloorDiv", above, chunk), np.int64(1)), chunk
        )
        sizes = apply("Minimum", chunk, apply("Sub", total, starts))
    else:
        sizes = cast(c[1], dtypes.int64)
    order = [axis, *(i for i in range(rank) if i != axis)]
    back = [order.index(i) for i in range(rank)]
    moved = transpose(x, order)
    starts = apply("Cumsum", sizes, np.int32(0), exclusive=True)
    count = apply("Size", sizes)

    def goes_on(i: Tensor, _: Tensor) -> Tensor:
        return apply("Less", i, count)

    def step(i: Tensor, items: Tensor) -> list[Tensor]:
        start, size = (apply("GatherV2", part, i, np.int32(0)) for part in (starts, sizes))
        numbers = apply("Range", start, apply("AddV2", start, size), np.int64(1))
        part = transpose(apply("GatherV2", moved, numbers, np.int32(0)), back)
        part = part if keep else squeeze(part, [axis])
        return [apply("AddV2", i, np.int32(1)), _pushed(items, part)]

    _, items = while_loop(goes_on, step, [apply("Identity", np.int32(0)), _empty(x.dtype)])
    return SequenceValue(items, x.dtype)


def _concat_from_sequence(c: Call) -> Tensor:
    sequence, axis = _sequence(c), c.int("axis")
    first = item(sequence, np.int32(0))
    if c.int("new_axis", 0):
        first = apply("ExpandDims", first, np.int32(axis))

    def goes_on(i: Tensor, _: Tensor) -> Tensor:
        return apply("Less", i, length)

    def step(i: Tensor, whole: Tensor) -> list[Tensor]:
        part = item(sequence, i)
        if c.int("new_axis", 0):
            part = apply("ExpandDims", part, np.int32(axis))
        joined = apply("ConcatV2", [whole, part], np.int32(axis))
        return [apply("AddV2", i, np.int32(1)), joined]

    length = _length(sequence)
    start = [apply("Identity", np.int32(1)), first]
    _, result = while_loop(goes_on, step, start, [TensorShape([]), TensorShape(None)])
    return result


def _sequence_map(c: Call) -> Any:
    proto, given = c.graph("body"), [c.value(i) for i in range(len(c))]
    length = _length(_sequence(c))
    kinds = [stated_type(info.type, f"the output {info.name!r}") for info in proto.output]
    if any(kind.kind != "tensor" for kind in kinds):
        raise MalformedError("its body returns values that are not tensors")

    def goes_on(i: Tensor, *_: Tensor) -> Tensor:
        return apply("Less", i, length)

    def step(i: Tensor, *lists: Tensor) -> list[Tensor]:
        values = [item(x, i) if isinstance(x, SequenceValue) else x for x in given]
        typed = []
        for value, info in zip(values, proto.input, strict=True):
            kind = stated_type(info.type, "an input of its body") if info.HasField("type") else None
            if kind is not None and kind.shape is not None and value.shape.ndims is None:
                value = stated(value, [None] * len(kind.shape))
            typed.append(value)
        results = c.builder.subgraph(proto, c.scope, typed, c.title)
        pairs = zip(lists, results, strict=True)
        return [apply("AddV2", i, np.int32(1)), *(_pushed(*pair) for pair in pairs)]

    start = [apply("Identity", np.int32(0)), *(_empty(kind.dtype) for kind in kinds)]
    _, *lists = while_loop(goes_on, step, start)
    return [SequenceValue(x, kind.dtype) for x, kind in zip(lists, kinds, strict=True)]


def _optional(c: Call) -> OptionalValue:
    if c.has(0):
        value = c.value(0)
        return value if isinstance(value, OptionalValue) else optional_of(value)
    kind = stated_type(c.attrs["type"], "the optional value") if "type" in c.attrs else None
    if kind is None:
        raise MalformedError("it has neither an input nor a type")
    return OptionalValue(apply("OptionalNone"), kind)


def _optional_has_element(c: Call) -> Tensor:
    value = c.value(0) if c.has(0) else None
    if isinstance(value, OptionalValue):
        return apply("OptionalHasValue", value.handle)
    return apply("Identity", np.bool_(value is not None))


def _optional_get_element(c: Call) -> Any:
    value = c.value(0)
    if isinstance(value, OptionalValue):
        return held(value)
    return apply("Identity", value) if isinstance(value, Tensor) else value


RULES: dict[str, Rule] = {
    "ConcatFromSequence": _concat_from_sequence,
    "Optional": _optional,
    "OptionalGetElement": _optional_get_element,
    "OptionalHasElement": _optional_has_element,
    "SequenceAt": _sequence_at,
    "SequenceConstruct": _sequence_construct,
    "SequenceEmpty": _sequence_empty,
    "SequenceErase": _sequence_erase,
    "SequenceInsert": _sequence_insert,
    "SequenceLength": _sequence_length,
    "SequenceMap": _sequence_map,
    "SplitToSequence": _split_to_sequence,
}
