"""Small random graphs over all ops, and something to feed them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import tensordraft as td
from tensordraft.graph.registry import definitions, lookup
from tensordraft.graph.signature import REQUIRED, ArgSpec, AttrSpec
from tensordraft.shape_inference.symbolic.symbolic import Symbol

Array = np.ndarray[Any, Any]
Integers = Callable[[int, int], int]

NAMES = ("a", "b")
_DTYPES = ("float32", "int32", "int64", "bool", "uint8")
_SKIPPED = {"Const", "Empty", "Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "NoOp"}


class Example(NamedTuple):
    """A graph, what to feed, and what its symbols are then."""

    graph: td.Graph
    feeds: dict[td.Tensor, Array]
    sizes: dict[Symbol, int]


class Pool:
    """The tensors of a graph under construction, and the draws that choose among them."""

    def __init__(self, integer: Integers) -> None:
        self.integer = integer  # between two limits, which may be drawn
        self.sizes = {name: integer(0, 4) for name in NAMES}
        self.tensors: list[td.Tensor] = []
        self.feeds: dict[td.Tensor, Array] = {}

    def one_of(self, items: Any) -> Any:
        return items[self.integer(0, len(items) - 1)]

    def choose(self, dtype: str, rank: int | None = None) -> td.Tensor:
        """A tensor that may have this rank; a new one where there is none."""
        fitting = [
            tensor
            for tensor in self.tensors
            if tensor.dtype.name == dtype and (rank is None or tensor.shape.rank in (rank, None))
        ]
        if fitting and self.integer(0, 5):
            return fitting[-1 - self.integer(0, len(fitting) - 1)]
        return self.constant(dtype, rank) if self.integer(0, 1) else self.placeholder(dtype, rank)

    def constant(self, dtype: str, rank: int | None = None) -> td.Tensor:
        rank = self.integer(0, 2) if rank is None else rank
        shape = [self.integer(0, 3) for _ in range(rank)]
        x = td.constant(self.contents(shape, dtype))
        self.tensors.append(x)
        return x

    def placeholder(self, dtype: str, rank: int | None = None) -> td.Tensor:
        rank = self.integer(0, 4) if rank is None else rank
        known: list[Any] = []
        shape = []
        for _ in range(rank):
            size = self.one_of((*NAMES, None, 1, 2, 3))
            known.append(size)
            shape.append(self.integer(0, 4) if size is None else self.sizes.get(size, size))
        x = td.placeholder(dtype, known if self.integer(0, 7) else None)
        self.feeds[x] = self.contents(shape, dtype)
        self.tensors.append(x)
        return x

    def contents(self, shape: list[int], dtype: str) -> Array:
        """Numbers such as sizes are; where they are few, they are drawn."""
        size = int(np.prod(shape))
        lowest = 0 if dtype in ("bool", "uint8") else -1
        if size > 4 or dtype == "float32":
            items: Any = (np.arange(size) * 7 + self.integer(0, 3)) % 4
        else:
            items = [self.integer(lowest, 4) for _ in range(size)]
        return np.array(items).reshape(shape).astype(dtype)

    def add(self, made: Any) -> None:
        """Takes in what an op made."""
        items = made if isinstance(made, (list, tuple)) else [made]
        self.tensors += [item for item in items if isinstance(item, td.Tensor)]


def _any_op(pool: Pool) -> Any:
    """An op of the table, with arguments of the right dtypes; most do not fit otherwise."""
    return _op_with_any_arguments(pool, pool.one_of(_TABLE))


def _op_with_any_arguments(pool: Pool, definition: td.OpDef) -> Any:
    signature = definition.signature
    attrs: dict[str, Any] = {}
    for name, spec in signature.attrs.items():
        if spec.kind == "type":
            allowed = [d for d in _DTYPES if spec.allowed is None or td.as_dtype(d) in spec.allowed]
            attrs[name] = pool.one_of(allowed or ["float32"])
        elif spec.default is REQUIRED or not pool.integer(0, 2):
            attrs[name] = _any_attr(pool, spec)
        else:
            attrs[name] = spec.default
    numbers = {arg.number_attr for arg in signature.inputs if arg.number_attr is not None}
    attrs |= {name: pool.integer(1, 3) for name in sorted(numbers)}
    arguments = [_any_argument(pool, arg, attrs) for arg in signature.inputs]
    return definition(*arguments, **attrs)


def _any_argument(pool: Pool, spec: ArgSpec, attrs: dict[str, Any]) -> Any:
    if spec.type_list_attr is not None:
        return [pool.choose(dtype) for dtype in attrs[spec.type_list_attr]]
    dtype = spec.dtype.name if spec.dtype is not None else attrs[str(spec.type_attr)]
    if dtype not in _DTYPES:
        raise TypeError(f"no tensor is of dtype {dtype}")
    if spec.number_attr is None:
        return pool.choose(dtype)
    first = pool.choose(dtype)
    return [first] + [
        pool.choose(dtype, first.shape.rank) for _ in range(attrs[spec.number_attr] - 1)
    ]


def _any_attr(pool: Pool, spec: AttrSpec) -> Any:
    if spec.kind == "list(int)" and pool.integer(0, 3):
        return pool.one_of(([1, 1, 1, 1], [1, 2, 2, 1], [1, 1, 2, 1], [1, 2, 1, 2, 1]))
    if spec.kind.startswith("list("):
        item = spec._replace(kind=spec.item_kind, minimum=None)
        return [_any_attr(pool, item) for _ in range(pool.integer(0, 4))]
    if spec.allowed is not None:
        return pool.one_of(spec.allowed)
    if spec.kind == "int":
        return pool.integer(spec.minimum or 0, 2 + (spec.minimum or 0))
    if spec.kind == "shape":
        return [pool.one_of((None, 1, 2)) for _ in range(pool.integer(0, 2))]
    return {"bool": True, "float": 0.5, "string": b"", "type": "float32"}[spec.kind]


_TABLE = [
    definition
    for definition in definitions()
    if not definition.traits.stateful
    and definition.name not in _SKIPPED
    and not definition.name.startswith(("Doc", "Harness", "Test", "Toy"))  # of tests, some wrong
    and definition.kernel_factory is not None
    and all(
        attr.item_kind not in ("tensor", "func") for attr in definition.signature.attrs.values()
    )
]


_GATHER_V2 = lookup("GatherV2")


# Sizes that are computed in the graph, as programs do it -----------------------------------------


def _data(pool: Pool) -> td.Tensor:
    return pool.choose(pool.one_of(("float32", "float32", "int32")))


def _sizes(pool: Pool) -> td.Tensor:
    return pool.choose(pool.one_of(("int32", "int32", "int32", "int64")), 1)


def _scalar(pool: Pool) -> td.Tensor:
    return pool.choose("int32", 0)


def _bound(pool: Pool) -> Any:
    return None if not pool.integer(0, 2) else pool.integer(-3, 3)


def _slice_of(pool: Pool) -> slice:
    return slice(_bound(pool), _bound(pool), pool.one_of((None, None, 1, 2, -1, -2)))


def _shape_of(pool: Pool) -> Any:
    return td.shape(_data(pool), out_type=pool.one_of((td.int32, td.int32, td.int64)))


def _element(pool: Pool) -> Any:
    return _sizes(pool)[pool.integer(-2, 2)]


def _packed(pool: Pool) -> Any:
    return td.stack([_scalar(pool) for _ in range(pool.integer(1, 3))])


def _joined(pool: Pool) -> Any:
    return td.concat([pool.choose("int32", 1), pool.one_of((pool.choose("int32", 1), [1]))], 0)


def _arithmetic(pool: Pool) -> Any:
    dtype = pool.one_of(("int32", "int32", "int64", "uint8"))
    x = pool.choose(dtype)
    y = pool.integer(-2, 3) if pool.integer(0, 1) and dtype != "uint8" else pool.choose(dtype)
    return pool.one_of(
        (
            td.add,
            td.subtract,
            td.multiply,
            td.floordiv,
            td.floormod,
            td.truncatediv,
            td.maximum,
            td.minimum,
            td.equal,
            td.less,
            td.greater_equal,
            td.squared_difference,
        )
    )(x, y)


def _alone(pool: Pool) -> Any:
    function = pool.one_of((td.negative, td.abs, td.square, td.identity, td.zeros_like, td.size))
    return function(pool.choose("int32"))


def _cast(pool: Pool) -> Any:
    source = pool.one_of(("int32", "int64", "uint8", "bool", "float32"))
    target = pool.one_of(("int32", "int64", "uint8", "int8", "bool", "float32"))
    return td.cast(pool.choose(source), target)


def _reduced(pool: Pool) -> Any:
    x = pool.choose(pool.one_of(("int32", "int32", "float32")))
    axis = pool.one_of((None, 0, -1, pool.choose("int32", 0)))
    function = pool.one_of((td.reduce_prod, td.reduce_sum, td.reduce_max, td.reduce_min))
    return function(x, axis, keepdims=bool(pool.integer(0, 1)))


def _part(pool: Pool) -> Any:
    x = _data(pool)
    if pool.integer(0, 2):
        return x[tuple([_slice_of(pool) for _ in range(pool.integer(1, x.shape.rank or 1))])]
    return x[: pool.one_of((_scalar(pool), _scalar(pool) - pool.integer(0, 2)))]


def _fixed_part(pool: Pool) -> Any:
    x = _data(pool)
    rank = x.shape.rank or 1
    begin = [pool.integer(0, 1) for _ in range(rank)]
    size = pool.one_of((_sizes(pool), td.shape(x) - begin, [-1] * rank))
    return td.slice(x, begin, size)


def _reshaped(pool: Pool) -> Any:
    x = _data(pool)
    total = td.size(x)
    shape = pool.one_of(
        (
            _sizes(pool),
            [-1],
            [_scalar(pool), -1],
            [total],
            [1, -1, 1],
            td.shape(_data(pool)),
            td.concat([td.shape(x)[:1], [-1]], 0),
            td.concat([[-1], td.shape(x)[1:]], 0),
            td.concat([td.shape(x), [1]], 0),
            [2, -1],
            [-1, 3],
        )
    )
    return td.reshape(x, shape)


def _filled(pool: Pool) -> Any:
    function = pool.one_of((td.zeros, td.ones))
    return function(_sizes(pool), pool.one_of((td.float32, td.int32)))


def _tiled(pool: Pool) -> Any:
    x = _data(pool)
    rank = x.shape.rank or 1
    multiples = [pool.one_of((1, 2, 0, _scalar(pool))) for _ in range(rank)]
    return td.tile(x, pool.one_of((multiples, _sizes(pool))))


def _range(pool: Pool) -> Any:
    start, limit = [pool.one_of((_scalar(pool), pool.integer(0, 4))) for _ in range(2)]
    return td.range(start, limit, pool.one_of((1, 1, 2, -1)))


def _rearranged(pool: Pool) -> Any:
    x = _data(pool)
    rank = x.shape.rank or 1
    axis = pool.integer(-rank, rank - 1) if rank else 0
    return pool.one_of(
        (
            lambda: td.transpose(x),
            lambda: td.reverse(x, [axis]),
            lambda: td.expand_dims(x, axis),
            lambda: td.squeeze(x),
            lambda: td.squeeze(x, [axis]),
            lambda: td.unstack(x, axis=axis),
            lambda: td.unstack(x, num=2, axis=axis),
            lambda: td.split(x, 2, axis),
            lambda: td.split(x, [1, -1], axis),
            lambda: td.split(x, [_scalar(pool), -1], axis),
            lambda: td.pad(x, [[_scalar(pool), 1]] * rank),
            lambda: td.cumsum(x, axis),
            lambda: _GATHER_V2(x, pool.choose("int32"), axis),
            lambda: td.one_hot(x, _scalar(pool)),
            lambda: td.ensure_shape(x, [pool.one_of((None, 2)) for _ in range(rank)]),
        )
    )()


def _combined(pool: Pool) -> Any:
    x = _data(pool)
    y = pool.choose(x.dtype.name, x.shape.rank)
    rank = x.shape.rank or 1
    return pool.one_of(
        (
            lambda: x + y,
            lambda: td.concat([x, y], pool.integer(-rank, rank - 1)),
            lambda: td.stack([x, y]),
            lambda: td.add_n([x, y]),
            lambda: td.where(td.less(x, y), x, y),
            lambda: td.broadcast_dynamic_shape(td.shape(x), td.shape(y)),
            lambda: td.matmul(x, y),
            lambda: td.broadcast_to(x, td.shape(y)),
            lambda: td.reshape(x, td.shape(y)),
        )
    )()


def _depending_on_data(pool: Pool) -> Any:
    x = pool.choose("int32", 1)
    return pool.one_of(
        (
            lambda: td.unique(x),
            lambda: td.where(td.less(x, 2)),
            lambda: td.listdiff(x, [1, 2]),
            lambda: td.boolean_mask(x, td.less(x, 2)),
            lambda: td.dynamic_partition(x, x, 2),
            lambda: td.dynamic_stitch([x], [x]),
            lambda: td.sequence_mask(x),
            lambda: td.sequence_mask(x, _scalar(pool)),
        )
    )()


def _blocks(pool: Pool) -> Any:
    x = pool.choose("float32", pool.one_of((2, 4)))
    paddings = [[pool.integer(0, 1), pool.one_of((0, 1, _scalar(pool)))]]
    return pool.one_of(
        (
            lambda: td.space_to_batch_nd(x, [2], paddings),
            lambda: td.depth_to_space(x, 2),
            lambda: td.batch_to_space_nd(x, [2], paddings),
            lambda: td.space_to_depth(x, 2),
            lambda: td.space_to_batch_nd(x, td.stack([_scalar(pool)]), paddings),
        )
    )()


def _windows(pool: Pool) -> Any:
    x = pool.choose("float32", 4)
    channels = (x.shape.as_list()[3] if x.shape.rank == 4 else None) or pool.integer(1, 3)
    filters = td.ones([pool.integer(1, 3), pool.integer(1, 2), channels, 2])
    window, step = [1, pool.integer(1, 3), pool.integer(1, 2), 1], pool.integer(1, 3)
    strides, padding = [1, step, step, 1], pool.one_of(("SAME", "VALID"))
    return pool.one_of(
        (
            lambda: td.nn.conv2d(x, filters, strides, padding),
            lambda: td.nn.depthwise_conv2d(x, filters, strides, padding),
            lambda: td.nn.max_pool(x, window, strides, padding),
            lambda: td.nn.avg_pool(x, window, strides, padding),
            lambda: td.extract_image_patches(x, window, strides, [1, 1, 1, 1], padding),
            lambda: td.nn.bias_add(x, pool.choose("float32", 1)),
            lambda: td.einsum("abcd,be->aedc", x, pool.choose("float32", 2)),
            lambda: td.einsum("...a,ab->...b", x, pool.choose("float32", 2)),
        )
    )()


def _in_place(pool: Pool) -> Any:
    x = pool.choose("int32", pool.integer(0, 2))
    function = pool.one_of((td.alias_inplace_add, td.alias_inplace_update))
    return function(td.identity(x), None, x + 1)


_STEPS: tuple[Callable[[Pool], Any], ...] = (
    _any_op,
    _any_op,
    _any_op,
    _shape_of,
    _shape_of,
    _element,
    _packed,
    _packed,
    _joined,
    _arithmetic,
    _arithmetic,
    _alone,
    _cast,
    _reduced,
    _part,
    _part,
    _fixed_part,
    _reshaped,
    _reshaped,
    _filled,
    _tiled,
    _range,
    _rearranged,
    _rearranged,
    _combined,
    _combined,
    _depending_on_data,
    _blocks,
    _windows,
    _in_place,
)


def make_example(integer: Integers, most_steps: int = 12) -> Example:
    """A graph of up to so many steps, each of a few ops, which `integer` chooses."""
    pool = Pool(integer)
    graph = td.Graph()
    with graph.as_default():
        for _ in range(2):
            pool.placeholder("float32")
        for _ in range(pool.integer(2, most_steps)):
            for _ in range(3):  # most ops do not fit
                try:
                    pool.add(pool.one_of(_STEPS)(pool))
                    break
                except (TypeError, ValueError, td.errors.OpError):
                    continue
    return Example(graph, pool.feeds, {Symbol(name): n for name, n in pool.sizes.items()})


@st.composite
def examples(draw: st.DrawFn) -> Example:
    """Small random graphs with something to feed them."""
    return make_example(lambda low, high: draw(st.integers(low, high)))
