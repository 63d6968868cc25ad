"""`td.contrib.staging.MapStagingArea`, and the ops on staging areas with keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...graph.convert import convert_to_tensor
from ...graph.node import Operation, Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import int64
from ...runtime.waiting import waits_of
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR, UNKNOWN_SHAPE
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import STATEFUL, WAITING, Traits
from .handles import HOME, nothing_shape, scalar_shape, shared_home
from .map_stages import MapStage
from .staging import StagingBase

public = {"td.contrib.staging": "MapStagingArea"}

_LIMITS = "capacity: int >= 0 = 0, memory_limit: int >= 0 = 0"
_GIVEN = f"{_LIMITS}, dtypes: list(type) >= 0, fake_dtypes: list(type) >= 1, {HOME}"
_TAKEN = f"{_LIMITS}, dtypes: list(type) >= 1, {HOME}"
_ABOUT = f"{_LIMITS}, dtypes: list(type) >= 0, {HOME}"
_ITEM = "key: int64, indices: int32 -> values: dtypes"


def _put_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("key", rank=0)
    c.shape("indices", rank=1)
    return []


def _item_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("key", rank=0)
    c.shape("indices", rank=1)
    return [UNKNOWN_SHAPE] * len(c.node.outputs)


def _first_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("indices", rank=1)
    return [SCALAR, *[UNKNOWN_SHAPE] * (len(c.node.outputs) - 1)]


def _key(key: Array) -> int:
    if key.ndim:
        raise ValueError(f"key must be a scalar, got shape {list(key.shape)}")
    return int(key)


def _places(indices: Array, dtypes: Sequence[Any], what: str) -> list[int]:
    if indices.shape != (len(dtypes),):
        raise ValueError(
            f"indices must be as many as {what}, {len(dtypes)}, got shape {list(indices.shape)}"
        )
    return indices.tolist()


class _Family(NamedTuple):
    """The ops of one kind of staging area by keys."""

    put: OpDef[Any]
    peek: OpDef[Any]
    get: OpDef[Any]
    get_first: OpDef[Any]
    size: OpDef[Any]
    incomplete_size: OpDef[Any]
    clear: OpDef[Any]


@dataclass(frozen=True)
class _Kind:
    """Kernels of the ops of one kind of staging area by keys.

    Args:
        ordered: whether the least key leaves first where none is named.
    """

    ordered: bool

    def stage(self, c: KernelContext) -> MapStage:
        """The staging area of an op."""
        key, _ = shared_home(c)
        stage = MapStage(self.ordered, c.attr("capacity"), c.attr("memory_limit"))
        return c.state.setdefault((*key, "staging area by keys", self.ordered), stage)

    def put(self, c: KernelContext) -> Kernel:
        """Kernel that puts components of an element."""
        stage, waits = self.stage(c), waits_of(c.state)
        components, given = len(c.attr("dtypes")), c.attr("fake_dtypes")

        def put(key: Array, indices: Array, *values: Array) -> tuple[()]:
            places = _places(indices, given, "values")
            stage.put(_key(key), dict(zip(places, values, strict=True)), components, waits)
            return ()

        return put

    def peek(self, c: KernelContext) -> Kernel:
        """Kernel that reads components of an element."""
        stage, waits, dtypes = self.stage(c), waits_of(c.state), c.attr("dtypes")

        def peek(key: Array, indices: Array) -> Any:
            outputs = _checked(c, stage.peek(_key(key), _places(indices, dtypes, "dtypes"), waits))
            return outputs if len(outputs) > 1 else outputs[0]

        return peek

    def get(self, c: KernelContext) -> Kernel:
        """Kernel that takes components of an element."""
        stage, waits, dtypes = self.stage(c), waits_of(c.state), c.attr("dtypes")

        def get(key: Array, indices: Array) -> Any:
            _, arrays = stage.get(_key(key), _places(indices, dtypes, "dtypes"), waits)
            outputs = _checked(c, arrays)
            return outputs if len(outputs) > 1 else outputs[0]

        return get

    def get_first(self, c: KernelContext) -> Kernel:
        """Kernel that takes components of the first element, and returns its key."""
        stage, waits, dtypes = self.stage(c), waits_of(c.state), c.attr("dtypes")

        def get_first(indices: Array) -> tuple[Array, ...]:
            key, arrays = stage.get(None, _places(indices, dtypes, "dtypes"), waits)
            return (np.array(key, np.int64), *_checked(c, arrays))

        return get_first

    def size(self, c: KernelContext) -> Kernel:
        """Kernel that counts whole elements."""
        stage = self.stage(c)
        return lambda: np.array(stage.whole, np.int32)

    def incomplete_size(self, c: KernelContext) -> Kernel:
        """Kernel that counts elements of which components are missing."""
        stage = self.stage(c)
        return lambda: np.array(stage.incomplete, np.int32)

    def clear(self, c: KernelContext) -> Kernel:
        """Kernel that drops all elements."""
        stage = self.stage(c)

        def clear() -> tuple[()]:
            stage.clear()
            return ()

        return clear


def _checked(c: KernelContext, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Components, if they are of the dtypes that the op states."""
    dtypes = c.attr("dtypes")
    if [array.dtype for array in arrays] != [dtype.numpy_dtype for dtype in dtypes]:
        got = ", ".join(str(array.dtype) for array in arrays)
        raise ValueError(f"expected dtypes = {[item.name for item in dtypes]}, got {got}")
    return tuple(arrays)


class _Row(NamedTuple):
    """Definition of an op, but for its kernel, which is a method of `_Kind`."""

    name: str
    arguments: str
    attrs: str
    shape: Callable[[ShapeContext], Any]
    traits: Traits


_PUT = "key: int64, indices: int32, values: fake_dtypes ->"
_FIRST = "indices: int32 -> key: int64, values: dtypes"
_ROWS = {
    "put": _Row("Stage", _PUT, _GIVEN, _put_shape, WAITING),
    "peek": _Row("Peek", _ITEM, _TAKEN, _item_shape, WAITING),
    "get": _Row("Unstage", _ITEM, _TAKEN, _item_shape, WAITING),
    "get_first": _Row("UnstageNoKey", _FIRST, _TAKEN, _first_shape, WAITING),
    "size": _Row("Size", "-> size: int32", _ABOUT, scalar_shape, STATEFUL),
    "incomplete_size": _Row("IncompleteSize", "-> size: int32", _ABOUT, scalar_shape, STATEFUL),
    "clear": _Row("Clear", "->", _ABOUT, nothing_shape, STATEFUL),
}


def _family(prefix: str, kind: _Kind) -> _Family:
    """Defines the ops of a kind."""
    definitions: dict[str, OpDef[Any]] = {}
    for method, row in _ROWS.items():
        op = definitions[method] = OpDef(
            prefix + row.name, row.arguments, row.attrs, traits=row.traits
        )
        op.shape(row.shape)
        op.kernel(getattr(kind, method))
    return _Family(**definitions)


FAMILIES = {False: _family("Map", _Kind(False)), True: _family("OrderedMap", _Kind(True))}


class MapStagingArea(StagingBase):
    """A store to which runs put tensors under keys, and from which later ones take them.

    Components of an element may come one by one, and leave one by one; an element can be taken once
    it is whole. Where no key is named, the oldest element leaves first (TensorFlow: any), or that
    of the least key. A key that is there already is refused. TensorFlow has the class in
    `tensorflow.python.ops.data_flow_ops`.

    Args:
        dtypes: the dtype of each component.
        shapes: the shape of each component; None where these may differ.
        names: names for the components: then elements are dicts.
        shared_name: areas of this name are shared in a session; by default the area is not shared.
        ordered: whether the least key leaves first where none is named.
        capacity: how many whole elements there is room for; 0 for no limit.
        memory_limit: how many bytes there is room for; 0 for no limit.

    Raises:
        ValueError: shapes or names are not as many as dtypes, or a limit is negative.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     area = td.contrib.staging.MapStagingArea([td.float32], ordered=True)
        ...     session.run([area.put(key, [key / 2], indices=[0]) for key in (7, 3)])
        ...     key, [value] = area.get()
        ...     print(*session.run([key, value]), session.run(area.get(7)[1]))
        [None, None]
        3 1.5 [np.float32(3.5)]
    """

    def __init__(
        self,
        dtypes: Sequence[Any],
        shapes: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
        shared_name: str | None = None,
        ordered: bool = False,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        super().__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)
        self._ops = FAMILIES[ordered]

    def put(
        self, key: Any, vals: Any, indices: Sequence[int] | None = None, name: str | None = None
    ) -> Operation:
        """An op that gives an element components, waiting for room.

        Args:
            key: an int64 tensor of rank 0.
            vals: a list of tensors, or a dict where the area has names; perhaps only some.
            indices: which components a list is of.
            name: a name for the op.

        Raises:
            ValueError: the area has no such components, or they do not fit the shapes.
        """
        if isinstance(vals, dict) != (self._names is not None):
            expected = "a dict, as the area has names" if self._names else "a list of tensors"
            raise ValueError(f"vals must be {expected}, got {type(vals).__name__}")
        if isinstance(vals, dict):
            indices = self._places(list(vals))
            vals = list(vals.values())
        elif not isinstance(vals, (list, tuple)):
            vals, indices = [vals], [0] if indices is None else indices
        if indices is None or len(indices) != len(vals):
            raise ValueError(f"indices must specify which {len(vals)} components are given")
        places = self._places(indices)
        tensors = [
            convert_to_tensor(value, self._dtypes[i]) for value, i in zip(vals, places, strict=True)
        ]
        for tensor, i in zip(tensors, places, strict=True):
            tensor.shape.assert_is_compatible_with(self._shapes[i])
        return self._ops.put(
            convert_to_tensor(key, int64),
            places,
            tensors,
            dtypes=self._dtypes,
            name=name or f"{self._name}_put",
            **self._settings,
        )

    def get(
        self, key: Any = None, indices: Sequence[Any] | None = None, name: str | None = None
    ) -> tuple[Any, Any]:
        """An element, or some of its components, which leave, waiting for it.

        Args:
            key: an int64 tensor of rank 0; None for whichever is first.
            indices: which components, by place or name; None for all.
            name: a name for the op.

        Returns:
            The key, and a list of Tensors, or a dict where the area has names.
        """
        places, settings = self._wanted(indices)
        if key is not None:
            name = name or f"{self._name}_get"
            key = convert_to_tensor(key, int64)
            return key, self._told(self._ops.get(key, places, name=name, **settings), places)
        name = name or f"{self._name}_get_nokey"
        first, values = self._ops.get_first(places, name=name, **settings)
        return first, self._told(values, places)

    def peek(self, key: Any, indices: Sequence[Any] | None = None, name: str | None = None) -> Any:
        """The components of an element, which stay, waiting for it; otherwise as `get`."""
        places, settings = self._wanted(indices)
        name = name or f"{self._name}_pop"
        key = convert_to_tensor(key, int64)
        return self._told(self._ops.peek(key, places, name=name, **settings), places)

    def size(self, name: str | None = None) -> Tensor:
        """Number of complete elements: an int32 Tensor of rank 0."""
        return self._counted(self._ops.size, name or f"{self._name}_size")

    def incomplete_size(self, name: str | None = None) -> Tensor:
        """Number of elements that lack a component: an int32 Tensor of rank 0."""
        return self._counted(self._ops.incomplete_size, name or f"{self._name}_incomplete_size")

    def clear(self, name: str | None = None) -> Operation:
        """An op that drops all elements."""
        name = name or f"{self._name}_clear"
        return self._ops.clear(dtypes=self._dtypes, name=name, **self._settings)

    def _counted(self, op: OpDef[Any], name: str) -> Tensor:
        return op(dtypes=self._dtypes, name=name, **self._settings)

    def _places(self, indices: Sequence[Any]) -> list[int]:
        """The places of components that are specified by place or name."""
        names = self._names or []
        places = [names.index(item) if item in names else item for item in indices]
        for place in places:
            if not isinstance(place, int) or not 0 <= place < len(self._dtypes):
                legal = f"in [0, {len(self._dtypes)})" + (f" or of {names}" if names else "")
                raise ValueError(f"indices must be {legal}, got {place!r}")
        return places

    def _wanted(self, indices: Sequence[Any] | None) -> tuple[list[int], dict[str, Any]]:
        places = self._places(range(len(self._dtypes)) if indices is None else indices)
        return places, {"dtypes": [self._dtypes[i] for i in places], **self._settings}

    def _told(self, given: Any, places: Sequence[int]) -> Any:
        tensors = list(given) if isinstance(given, (list, tuple)) else [given]
        for tensor, i in zip(tensors, places, strict=True):
            tensor.set_shape(self._shapes[i])
        if self._names is None:
            return tensors
        return {self._names[i]: tensor for tensor, i in zip(tensors, places, strict=True)}
