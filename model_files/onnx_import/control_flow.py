"""Branches and loops of ONNX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...ops.control_flow.cond_and_case import cond
from ...ops.control_flow.while_loop import while_loop
from ...protos import dtypes
from ...protos.dtypes import DType
from ...shape_inference.tensor_shape import TensorShape
from .call import Call, Rule
from .nodes import apply, as_size, axis_of, cast, constant, rank_of, reshape, size_of, transpose
from .tensors import MalformedError, UnsupportedError
from .values import Type, Value, fitted, handle_of, stated_type, type_of, value_of


def _if(c: Call) -> Any:
    condition, known = c[0], c.const(0)
    branches = [c.graph(f"{name}_branch") for name in ("then", "else")]
    if known is not None:
        return c.builder.subgraph(branches[0 if known.any() else 1], c.scope, [], c.title)
    types: list[Type] = []

    def branch(proto: Any) -> list[Tensor]:
        values = c.builder.subgraph(proto, c.scope, [], c.title)
        types[:] = [_merged(value, types, place) for place, value in enumerate(values)]
        return [handle_of(value) for value in values]

    predicate = condition if condition.shape.ndims == 0 else reshape(condition, [])
    then, otherwise = (partial(branch, proto) for proto in branches)
    handles = cond(predicate, then, otherwise, strict=True)
    return [value_of(handle, kind) for handle, kind in zip(handles, types, strict=True)]


def _merged(value: Value, types: Sequence[Type], place: int) -> Type:
    """The type of a value, or of that of the other branch where this one has none."""
    kind = type_of(value)
    return types[place] if place < len(types) and kind.kind == "optional" else kind


class _DtypesLearned(Exception):  # noqa: N818 - no error, but a reason to begin again
    """The dtypes of what iterations add, which the file does not state, have been found out."""


class _Repeated:
    """A body that is repeated: variables, and values that each iteration adds.

    Args:
        c: the call.
        proto: the body.
        values: the first values of the variables.
        leading: the number of results of the body before the variables.
    """

    def __init__(self, c: Call, proto: Any, values: Sequence[Value], leading: int) -> None:
        self.c = c
        self.proto = proto
        self.values = list(values)
        self.types = [type_of(value) for value in values]
        self.leading = leading
        added = proto.output[leading + len(values) :]
        self.added: list[DType | None] = [None] * len(added)
        for place, info in enumerate(added):
            if info.HasField("type"):
                kind = stated_type(info.type, f"the output {info.name!r} of the body")
                if kind.kind != "tensor":
                    raise MalformedError("the values that its iterations add are not tensors")
                self.added[place] = kind.dtype
        self.shapes: list[TensorShape] = [TensorShape(None)] * len(self.added)

    def run(self, inputs: Sequence[Value]) -> list[Value]:
        """The results of an iteration."""
        results: list[Value] = self.c.builder.subgraph(
            self.proto, self.c.scope, inputs, self.c.title
        )
        if len(results) != self.leading + len(self.values) + len(self.added):
            raise MalformedError(f"its body has {len(results)} outputs")
        for place, kind in enumerate(self.types, self.leading):
            results[place] = fitted(results[place], kind)
        for place, value in enumerate(results[self.leading + len(self.values) :]):
            self.shapes[place] = value.shape
        return results

    def repeated(
        self,
        goes_on: Callable[..., Any],
        step: Callable[..., Any],
        first: list[Tensor],
    ) -> list[Tensor]:
        """Runs a loop over counters, the variables and lists of what is added."""
        handles = [handle_of(value) for value in self.values]
        lists = [
            apply("EmptyTensorList", -1, -1, element_dtype=dtype or dtypes.float32)
            for dtype in self.added
        ]
        variables = [*first, *handles, *lists]
        front, back = len(first), len(lists)
        plain = [x.shape for x in variables]
        ranks = [
            TensorShape(None if x.shape.ndims is None else [None] * x.shape.ndims) for x in handles
        ]
        unknown = [TensorShape(None if x.dtype is not dtypes.variant else []) for x in handles]
        widest = [*plain[:front], *unknown, *plain[len(plain) - back :]]
        attempts: list[list[TensorShape]] = [
            plain,
            [*plain[:front], *ranks, *plain[len(plain) - back :]],
            widest,
        ]
        while True:
            shapes = attempts[0]
            try:
                result: list[Tensor] = while_loop(
                    goes_on, step, variables, shapes, return_same_structure=True
                )
            except _DtypesLearned:
                return self.repeated(goes_on, step, first)
            except ValueError:  # a shape changes from iteration to iteration
                if shapes is widest:
                    raise
                attempts.pop(0)
            else:
                return list(result)

    def appended(self, lists: Sequence[Tensor], values: Sequence[Value]) -> list[Tensor]:
        """The lists with what an iteration adds.

        Raises:
            _DtypesLearned: the dtypes of these were not known before.
        """
        if None in self.added:
            self.added = [value.dtype for value in values]
            raise _DtypesLearned
        return [
            apply("TensorListPushBack", items, value)
            for items, value in zip(lists, values, strict=True)
        ]

    def stacked(self, lists: Sequence[Tensor]) -> list[Tensor]:
        """Values that all iterations have added, along a new first axis."""
        return [
            stack(items, dtype or dtypes.float32, shape)
            for items, dtype, shape in zip(lists, self.added, self.shapes, strict=True)
        ]


def stack(items: Tensor, dtype: DType, shape: TensorShape) -> Tensor:
    """The tensors of a list, along a new first axis."""
    sizes: Any = np.int32(-1)
    if shape.ndims is not None:
        sizes = np.array([-1 if size is None else size for size in shape.as_list()], np.int32)
    return apply("TensorListStack", items, sizes, element_dtype=dtype)


def _loop(c: Call) -> Any:
    proto = c.graph("body")
    most = cast(_scalar(c[0]), dtypes.int64) if c.has(0) else None
    start: Any = _scalar(c[1]) if c.has(1) else None
    body = _Repeated(c, proto, [c.value(i) for i in range(2, len(c))], 1)
    count = len(body.values)
    known = None if start is None else constant(start)
    counted = most is not None and _always_goes_on(proto) and (start is None or _is_true(known))
    first = [apply("Identity", np.int64(0))]
    if not counted:
        ongoing: Any = start if start is not None else np.True_
        first.append(apply("Identity", ongoing))
    front = len(first)

    def goes_on(i: Tensor, *rest: Tensor) -> Tensor:
        if counted:
            return apply("Less", i, most)
        if most is None:
            return apply("Identity", rest[0])
        return apply("LogicalAnd", apply("Less", i, most), rest[0])

    def step(i: Tensor, *rest: Tensor) -> list[Tensor]:
        handles, lists = rest[front - 1 : front - 1 + count], rest[front - 1 + count :]
        values = [value_of(x, kind) for x, kind in zip(handles, body.types, strict=True)]
        ongoing = np.True_ if counted else rest[0]
        condition = ongoing if isinstance(ongoing, Tensor) else apply("Identity", ongoing)
        again, *results = body.run([i, condition, *values])
        states = [handle_of(value) for value in results[:count]]
        if c.has(1):
            again = reshape(again, []) if again.shape.ndims != 0 else again
        else:
            again = condition  # what the body returns is ignored
        added = body.appended(lists, results[count:])
        following = apply("AddV2", i, np.int64(1))
        return [following, *([] if counted else [again]), *states, *added]

    results = body.repeated(goes_on, step, first)[front:]
    values = [value_of(x, kind) for x, kind in zip(results[:count], body.types, strict=True)]
    return [*values, *body.stacked(results[count:])]


def _scalar(x: Tensor) -> Tensor:
    return x if x.shape.ndims == 0 else reshape(x, [])


def _is_true(value: Any) -> bool:
    return value is not None and bool(value.all())


def _always_goes_on(proto: Any) -> bool:
    """Returns whether the body of a loop never ends it: it returns the condition it is given."""
    if len(proto.input) < 2 or not proto.output:
        return False
    name = proto.output[0].name
    makers = {output: node for node in proto.node for output in node.output}
    for _ in range(len(makers) + 1):
        if name == proto.input[1].name:
            return True
        node = makers.get(name)
        if node is None or node.op_type not in ("Identity", "Cast") or not node.input:
            break
        name = node.input[0]
    return False


def _scan(c: Call) -> Any:
    if c.version < 9:
        return _scan_of_batches(c)
    scanned = c.int("num_scan_inputs")
    if not 0 < scanned <= len(c):
        raise MalformedError(f"num_scan_inputs = {scanned} of {len(c)} inputs")
    values = [c.value(i) for i in range(len(c) - scanned)]
    inputs = [c[i] for i in range(len(c) - scanned, len(c))]
    return _scanned(c, values, inputs)


def _scanned(c: Call, values: list[Value], inputs: list[Tensor]) -> list[Value]:
    """A scan along the axes that the call states."""
    count, scanned = len(values), len(inputs)
    body = _Repeated(c, c.graph("body"), values, 0)
    axes = _listed(c, "scan_input_axes", scanned)
    backward = _listed(c, "scan_input_directions" if c.version >= 9 else "directions", scanned)
    axes = [axis_of(axis, rank_of(x)) for axis, x in zip(axes, inputs, strict=True)]
    time = as_size(size_of(inputs[0], axes[0]))
    last = apply("Sub", time, np.int64(1))

    def goes_on(i: Tensor, *_: Tensor) -> Tensor:
        return apply("Less", i, time)

    def step(i: Tensor, *rest: Tensor) -> list[Tensor]:
        values = [value_of(x, kind) for x, kind in zip(rest[:count], body.types, strict=True)]
        elements = []
        for x, axis, reverse in zip(inputs, axes, backward, strict=True):
            place = apply("Sub", last, i) if reverse else i
            elements.append(apply("GatherV2", x, place, np.int32(axis)))
        results = body.run([*values, *elements])
        states = [handle_of(value) for value in results[:count]]
        lists = body.appended(rest[count:], results[count:])
        return [apply("AddV2", i, np.int64(1)), *states, *lists]

    results = body.repeated(goes_on, step, [apply("Identity", np.int64(0))])[1:]
    states = [value_of(x, kind) for x, kind in zip(results[:count], body.types, strict=True)]
    added = body.stacked(results[count:])
    axes = _listed(c, "scan_output_axes", len(added))
    prepended = _listed(c, "scan_output_directions", len(added))
    for place, (x, axis, reverse) in enumerate(zip(added, axes, prepended, strict=True)):
        if reverse:
            x = apply("ReverseV2", x, [0])
        if axis:
            rank = rank_of(x)
            order = list(range(1, rank))
            order.insert(axis_of(axis, rank), 0)
            x = transpose(x, order)
        added[place] = x
    return [*states, *added]


def _listed(c: Call, name: str, count: int) -> list[int]:
    values = c.list(name, [0] * count)
    if len(values) != count:
        raise MalformedError(f"{name} = {values} must be {count} integers")
    return list(values)


def _scan_of_batches(c: Call) -> Any:
    """A scan as opset 8 has it: along the second axis, for each element of a batch."""
    if c.has(0):
        raise UnsupportedError("its input sequence_lens is not supported")
    scanned = c.int("num_scan_inputs")
    given = [c[i] for i in range(1, len(c))]
    sizes = {size_of(x, 0) for x in given if isinstance(size_of(x, 0), int)}
    if len(sizes) != 1:
        raise UnsupportedError("the size of the batch is not known: not supported")
    [batch] = sizes
    results = []
    for place in range(batch):
        parts = [apply("GatherV2", x, np.int64(place), np.int32(0)) for x in given]
        results.append(_scanned(c, parts[:-scanned], parts[-scanned:]))
    return [apply("Pack", list(parts), axis=0) for parts in zip(*results, strict=True)]


RULES: dict[str, Rule] = {"If": _if, "Loop": _loop, "Scan": _scan}
