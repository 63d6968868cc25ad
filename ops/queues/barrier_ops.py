"""`td.contrib.staging.Barrier`, and the ops on barriers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.node import Operation, Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import as_dtype
from ...runtime.object_arrays import handle_to
from ...runtime.waiting import waits_of
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import STATEFUL, WAITING
from .barriers import TensorBarrier
from .handles import HOME, kept_behind, nothing_shape, scalar_shape, shared_home

public = {"td.contrib.staging": "Barrier"}

_TYPES = "component_types: list(type) >= 1"
BARRIER: OpDef[Any] = OpDef(
    "Barrier",
    "-> handle: Ref(string)",
    f"{_TYPES}, shapes: list(shape) >= 0 = [], capacity: int = -1, {HOME}",
    traits=STATEFUL,
)
INSERT_MANY: OpDef[Any] = OpDef(
    "BarrierInsertMany",
    "handle: Ref(string), keys: string, values: T ->",
    "T: type, component_index: int",
    traits=STATEFUL,
)
TAKE_MANY: OpDef[Any] = OpDef(
    "BarrierTakeMany",
    "handle: Ref(string), num_elements: int32 -> "
    "indices: int64, keys: string, values: component_types",
    f"{_TYPES}, allow_small_batch: bool = false, wait_for_incomplete: bool = false, "
    "timeout_ms: int = -1",
    traits=WAITING,
)
CLOSE: OpDef[Any] = OpDef(
    "BarrierClose",
    "handle: Ref(string) ->",
    "cancel_pending_enqueues: bool = false",
    traits=STATEFUL,
)
READY_SIZE: OpDef[Any] = OpDef(
    "BarrierReadySize", "handle: Ref(string) -> size: int32", traits=STATEFUL
)
INCOMPLETE_SIZE: OpDef[Any] = OpDef(
    "BarrierIncompleteSize", "handle: Ref(string) -> size: int32", traits=STATEFUL
)
CLOSE.shape(nothing_shape)
for _op in (BARRIER, READY_SIZE, INCOMPLETE_SIZE):
    _op.shape(scalar_shape)


@INSERT_MANY.shape
def _insert_shape(c: ShapeContext) -> list[TensorShape]:
    keys, values = c.shape("keys", rank=1), c.shape("values", min_rank=1)
    c.merged("keys and the rows of values", [keys, values[:1]])
    return []


@TAKE_MANY.shape
def _take_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("num_elements", rank=0)
    number = c.scalar("num_elements")
    rows = TensorShape.of((None if c.attr("allow_small_batch") else number,))
    return [rows, rows, *[UNKNOWN_SHAPE] * (len(c.node.outputs) - 2)]


@BARRIER.kernel
def _barrier_kernel(c: KernelContext) -> Kernel:
    key, name = shared_home(c)
    dtypes, shapes = list(c.attr("component_types")), list(c.attr("shapes"))
    if shapes and len(shapes) != len(dtypes):
        raise ValueError(
            f"shapes must be empty or one for each of the {len(dtypes)} components, got "
            f"{len(shapes)}"
        )
    made = TensorBarrier(name, dtypes, shapes or [UNKNOWN_SHAPE] * len(dtypes))
    kept = c.state.setdefault(key, made)
    if not isinstance(kept, TensorBarrier) or kept.dtypes != dtypes:
        raise ValueError(f"shared_name = {name!r} is that of something else in this session")
    handle = handle_to(kept)

    def barrier() -> Array:
        return handle

    return barrier


def _barrier_of(handle: Array) -> TensorBarrier:
    return kept_behind(handle, TensorBarrier, "a barrier")


@INSERT_MANY.kernel
def _insert_kernel(c: KernelContext) -> Kernel:
    component = c.attr("component_index")

    def insert(handle: Array, keys: Array, values: Array) -> tuple[()]:
        if keys.ndim != 1:
            raise ValueError(f"keys must be a vector, got shape {list(keys.shape)}")
        _barrier_of(handle).insert(component, keys.tolist(), values)
        return ()

    return insert


@TAKE_MANY.kernel
def _take_kernel(c: KernelContext) -> Kernel:
    waits, dtypes = waits_of(c.state), list(c.attr("component_types"))
    limit, may_be_fewer = c.attr("timeout_ms"), c.attr("allow_small_batch")
    seconds = None if limit < 0 else limit / 1e3

    def take(handle: Array, num_elements: Array) -> tuple[Array, ...]:
        barrier = _barrier_of(handle)
        if barrier.dtypes != dtypes:
            raise ValueError(
                f"component_types = {[item.name for item in dtypes]}, but '{barrier.name}' holds "
                f"{[item.name for item in barrier.dtypes]}"
            )
        indices, keys, values = barrier.take(int(num_elements), may_be_fewer, waits, seconds)
        return (indices, keys, *values)

    return take


@CLOSE.kernel
def _close_kernel(c: KernelContext) -> Kernel:
    cancel = c.attr("cancel_pending_enqueues")

    def close(handle: Array) -> tuple[()]:
        _barrier_of(handle).close(cancel)
        return ()

    return close


@READY_SIZE.kernel
def _ready_kernel(c: KernelContext) -> Kernel:

    def ready(handle: Array) -> Array:
        return np.array(_barrier_of(handle).ready, np.int32)

    return ready


@INCOMPLETE_SIZE.kernel
def _incomplete_kernel(c: KernelContext) -> Kernel:

    def incomplete(handle: Array) -> Array:
        return np.array(_barrier_of(handle).incomplete, np.int32)

    return incomplete


class Barrier:
    """Elements by keys, whose components come one after the other, perhaps in several runs.

    Complete elements leave in the order in which their first components came. TensorFlow has the
    class in `tensorflow.python.ops.data_flow_ops`.

    Args:
        types: the dtype of each component, or one dtype.
        shapes: the shape of each component; None where these are not known.
        shared_name: barriers of this name are one in a session.
        name: a name for the op.

    Raises:
        ValueError: a shape has no elements, or shapes are not as many as types.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     barrier = td.contrib.staging.Barrier([td.string, td.int32], shapes=[[], []])
        ...     session.run(barrier.insert_many(0, keys=["a", "b"], values=["x", "y"]))
        ...     session.run(barrier.insert_many(1, keys=["b"], values=[2]))
        ...     index, key, values = session.run(barrier.take_many(1))
        ...     print(key, values, session.run(barrier.incomplete_size()))
        [b'b'] [array([b'y'], dtype=object), array([2], dtype=int32)] 1
    """

    def __init__(
        self,
        types: Any,
        shapes: Any = None,
        shared_name: str | None = None,
        name: str = "barrier",
    ) -> None:
        many = isinstance(types, (list, tuple))
        self._types = [as_dtype(dtype) for dtype in (types if many else [types])]
        if shapes is None:
            self._shapes = [UNKNOWN_SHAPE] * len(self._types)
        else:
            listed = list(shapes) if many else [shapes]
            self._shapes = [TensorShape(shape) for shape in listed]
        if len(self._shapes) != len(self._types):
            raise ValueError(
                f"shapes must be {len(self._types)}, as many as types, got {len(self._shapes)}"
            )
        for i, shape in enumerate(self._shapes):
            if shape.num_elements() == 0:
                raise ValueError(
                    f"Empty tensors are not supported, but received shape '{shape}' at index {i}"
                )
        self._barrier_ref: Tensor = BARRIER(
            component_types=self._types,
            shapes=self._shapes,
            shared_name=shared_name or "",
            name=name,
        )
        self._prefix = self._barrier_ref.op.name.rpartition("/")[2]

    @property
    def barrier_ref(self) -> Tensor:
        """The handle of the barrier."""
        return self._barrier_ref

    @property
    def name(self) -> str:
        """The name of the op that makes the barrier."""
        return self._barrier_ref.op.name

    def insert_many(
        self, component_index: int, keys: Any, values: Any, name: str | None = None
    ) -> Operation:
        """An op that gives elements one of their components.

        Args:
            component_index: which one.
            keys: strings [n]: the elements.
            values: a tensor of n rows.
            name: a name for the op.

        Raises:
            InvalidArgumentError: when it runs, an element has it already.
            CancelledError: when it runs, the barrier is closed, and a key is new.
        """
        name = name or f"{self._prefix}_BarrierInsertMany"
        return INSERT_MANY(
            self._barrier_ref, keys, values, component_index=component_index, name=name
        )

    def take_many(
        self,
        num_elements: Any,
        allow_small_batch: bool = False,
        timeout: int | None = None,
        name: str | None = None,
    ) -> tuple[Tensor, Tensor, list[Tensor]]:
        """The first complete elements, which leave; it waits until there are as many.

        Args:
            num_elements: an int32 tensor of rank 0.
            allow_small_batch: whether fewer will do once the barrier is closed.
            timeout: the longest time, in milliseconds.
            name: a name for the op.

        Returns:
            `indices`, int64 [n]: the insertions that brought the first components, counted from
            -2**63; `keys`, strings [n]; and a list with a tensor of n rows for each component.

        Raises:
            OutOfRangeError: when it runs, the barrier is closed, and there will not be as many.
        """
        indices, keys, values = TAKE_MANY(
            self._barrier_ref,
            num_elements,
            component_types=self._types,
            allow_small_batch=allow_small_batch,
            timeout_ms=-1 if timeout is None else timeout,
            name=name or f"{self._prefix}_BarrierTakeMany",
        )
        for value, shape in zip(values, self._shapes, strict=True):
            value.set_shape(indices.shape.concatenate(shape))
        return indices, keys, values

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """An op that lets no further key in.

        Args:
            cancel_pending_enqueues: whether elements that are not complete are dropped; otherwise
                they may still be completed.
            name: a name for the op.
        """
        name = name or f"{self._prefix}_BarrierClose"
        return CLOSE(self._barrier_ref, cancel_pending_enqueues=cancel_pending_enqueues, name=name)

    def ready_size(self, name: str | None = None) -> Tensor:
        """Number of complete elements: an int32 Tensor of rank 0."""
        name = name or f"{self._prefix}_BarrierReadySize"
        return READY_SIZE(self._barrier_ref, name=name)

    def incomplete_size(self, name: str | None = None) -> Tensor:
        """Number of elements that lack a component: an int32 Tensor of rank 0."""
        name = name or f"{self._prefix}_BarrierIncompleteSize"
        return INCOMPLETE_SIZE(self._barrier_ref, name=name)
