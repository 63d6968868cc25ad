"""Queue classes: `td.FIFOQueue` and the other kinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...protos.dtypes import DType, as_dtype, int64
from ...shape_inference.tensor_shape import TensorShape
from ..common.shared_docs import shared_docs
from ..random.random_state import seed_attrs
from .queue_base import QueueBase
from .queue_ops import QUEUES

public = {
    "td": "FIFOQueue PaddingFIFOQueue PriorityQueue RandomShuffleQueue",
    "td.io": "PaddingFIFOQueue PriorityQueue RandomShuffleQueue",
    "td.queue": "FIFOQueue PaddingFIFOQueue PriorityQueue RandomShuffleQueue",
}


def _checked_shapes(shapes: Any, dtypes: Sequence[Any], partial: bool = False) -> Any:
    """Shapes as a list; a single one applies to each component."""
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape):
        shapes = [shapes]
    items = list(shapes)
    if not items or isinstance(items[0], (int, type(None))):  # one shape, for each of them
        items = [items] * len(dtypes)
    found = [TensorShape(item) for item in items]
    if partial and any(shape.rank is None for shape in found):
        raise ValueError(f"All dimensions must have a defined rank: {found}")
    if not partial and not all(shape.is_fully_defined() for shape in found):
        raise ValueError(f"All shapes must be fully defined: {found}")
    return found


def _listed(dtypes: Any) -> list[DType]:
    items = dtypes if isinstance(dtypes, (list, tuple)) else [dtypes]
    return [as_dtype(item) for item in items]


def _names_listed(names: Any, dtypes: Sequence[Any]) -> list[str] | None:
    if not names:
        return None
    return [names] if isinstance(names, str) else list(names)


class _Made(QueueBase):
    """A queue that is made by an op here."""

    def _make(
        self,
        kind: str,
        capacity: int,
        dtypes: list[DType],
        shapes: list[TensorShape] | None,
        names: Any,
        shared_name: str | None,
        name: str,
        own_types: list[DType] | None = None,
        **attrs: Any,
    ) -> None:
        named = _names_listed(names, dtypes)
        self._check(dtypes, shapes, named)
        reference = QUEUES[kind]["V2"](
            component_types=dtypes if own_types is None else own_types,
            shapes=(shapes or []) if own_types is None else (shapes or [])[1:],
            capacity=capacity,
            shared_name=shared_name or "",
            name=name,
            **attrs,
        )
        super().__init__(dtypes, shapes, named, reference)

    @staticmethod
    def _check(dtypes: Any, shapes: Any, names: Any) -> None:
        for what, items in (("shapes", shapes), ("names", names)):
            if items is not None and len(items) != len(dtypes):
                subject = "Queue shapes" if what == "shapes" else "List of names"
                rest = "dtypes" if what == "shapes" else "the list of dtypes"
                raise ValueError(
                    f"{subject} must have the same length as {rest}, received len({what})="
                    f"{len(items)}, len(dtypes)={len(dtypes)}"
                )


_documented = shared_docs(
    {
        "capacity": "the greatest number of elements; a negative one for no limit.",
        "dtypes": "the dtype of each component of an element, or one dtype.",
        "names": "names for the components: then elements are dicts.",
        "shared_name": "queues of one such name are one in a session.",
        "name": "a name for the op.",
    },
    raises=(
        "ValueError: shapes or names are not as many as dtypes, or a shape is not known in full."
    ),
)


@_documented
class FIFOQueue(_Made):
    """A queue whose elements leave in the order in which they came.

    Args:
        shapes: the shape of each component, known in full; without them elements may differ, and
            leave one by one only.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     queue = td.FIFOQueue(3, td.int32, shapes=[[]])
        ...     session.run(queue.enqueue_many([[1, 2, 3]]))
        ...     session.run(queue.dequeue()), session.run(queue.dequeue_many(2))
        (np.int32(1), array([2, 3], dtype=int32))
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        types = _listed(dtypes)
        checked = _checked_shapes(shapes, types)
        self._make("FIFOQueue", capacity, types, checked, names, shared_name, name)


class PaddingFIFOQueue(_Made):
    """A FIFOQueue of elements of several sizes; where many leave, they are padded with zeros.

    Args:
        capacity: the greatest number of elements; a negative one for no limit.
        dtypes: the dtype of each component of an element, or one dtype.
        shapes: the shape of each component, of known rank.
        names: names for the components: then elements are dicts.
        shared_name: queues of one such name are one in a session.
        name: a name for the op.

    Raises:
        ValueError: shapes or names are not as many as dtypes, or a rank is not known.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     queue = td.PaddingFIFOQueue(3, td.int32, shapes=[[None]])
        ...     session.run([queue.enqueue([[1]]), queue.enqueue([[2, 3]])])
        ...     print(session.run(queue.dequeue_many(2)))
        [None, None]
        [[1 0]
         [2 3]]
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        types = _listed(dtypes)
        if shapes is None:
            raise ValueError("When providing partial shapes, a list of shapes must be provided.")
        checked = _checked_shapes(shapes, types, partial=True)
        self._make("PaddingFIFOQueue", capacity, types, checked, names, shared_name, name)


@_documented
class RandomShuffleQueue(_Made):
    """A queue whose elements leave in random order.

    Args:
        min_after_dequeue: how many elements stay while the queue is open, so that there are some
            to choose from.
        shapes: the shape of each component, known in full.
        seed: with it, the order is TensorFlow's for this seed.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     queue = td.RandomShuffleQueue(10, 2, td.int32, shapes=[[]], seed=5)
        ...     session.run(queue.enqueue_many([[0, 1, 2, 3, 4, 5]]))
        ...     print(session.run(queue.dequeue_many(4)))
        [1 4 0 2]
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        types = _listed(dtypes)
        checked = _checked_shapes(shapes, types)
        self._make(
            "RandomShuffleQueue",
            capacity,
            types,
            checked,
            names,
            shared_name,
            name,
            min_after_dequeue=min_after_dequeue,
            **seed_attrs(seed),
        )


@_documented
class PriorityQueue(_Made):
    """A queue whose elements leave by their priority, the least first.

    The priority is an int64 scalar, the first component of each element. Among equals the first
    that came leaves first.

    Args:
        types: the dtype of each further component of an element.
        shapes: the shape of each, known in full.
        names: names for all components, the priority included: then elements are dicts.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     queue = td.PriorityQueue(10, [td.string], shapes=[[]])
        ...     session.run(queue.enqueue_many([np.int64([2, 1]), ["later", "sooner"]]))
        ...     session.run(queue.dequeue())
        [np.int64(1), b'sooner']
    """

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        rest = _listed(types)
        checked = _checked_shapes(shapes, rest) or [TensorShape([])] * len(rest)
        self._make(
            "PriorityQueue",
            capacity,
            [int64, *rest],
            [TensorShape([]), *checked],
            names,
            shared_name,
            name,
            own_types=rest,
        )
