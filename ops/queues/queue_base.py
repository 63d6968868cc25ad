"""Base class of queues: enqueue, dequeue, close, and size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.default_graph import graph_using
from ...graph.node import Operation, Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import resource
from ...shape_inference.tensor_shape import TensorShape
from ..array.stack import stack
from ..indexing.gather import gather
from .element_components import Components
from .queue_ops import (
    CLOSE,
    DEQUEUE,
    DEQUEUE_MANY,
    DEQUEUE_UP_TO,
    ENQUEUE,
    ENQUEUE_MANY,
    IS_CLOSED,
    SIZE,
)

public = {"td, td.io, td.queue": "QueueBase"}


class QueueBase(Components):
    """Base class of queues, to and from which runs in several threads pass tuples of tensors.

    The elements live in a session. An enqueue op waits while there is no room, and
    a dequeue op waits while there is nothing; other runs of the session continue.

    Args:
        dtypes: the dtype of each component of an element.
        shapes: the shape of each component, or None.
        names: names for the components: then elements are dicts.
        queue_ref: the handle of the queue.

    Raises:
        ValueError: shapes or names are not as many as dtypes.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     queue = td.FIFOQueue(10, [td.float32, td.int32], shapes=[[], [2]])
        ...     put, out = queue.enqueue([0.5, [1, 2]]), queue.dequeue()
        ...     session.run(put)
        ...     session.run(out)
        [np.float32(0.5), array([1, 2], dtype=int32)]
    """

    def __init__(
        self,
        dtypes: Sequence[Any],
        shapes: Sequence[Any] | None,
        names: Sequence[str] | None,
        queue_ref: Tensor,
    ) -> None:
        super().__init__("Queue", dtypes, shapes, names)
        self._queue_ref = queue_ref
        self._name = queue_ref.op.name.rpartition("/")[2]

    @staticmethod
    def from_list(index: Any, queues: Sequence[QueueBase]) -> QueueBase:
        """The queue among several whose number a tensor gives, in each run.

        Args:
            index: an int32 scalar tensor.
            queues: queues of the same dtypes and names.

        Returns:
            A QueueBase; its shapes are what those of all queues have in common.

        Raises:
            TypeError: `queues` is not a list of queues, or their dtypes differ.
            ValueError: their names differ.
        """
        if (
            not queues
            or not isinstance(queues, list)
            or not all(isinstance(queue, QueueBase) for queue in queues)
        ):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if any(queue.dtypes != first.dtypes for queue in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        if any(queue.names != first.names for queue in queues):
            raise TypeError("Queues do not have matching component names.")
        shapes = [
            _in_common(parts) for parts in zip(*[queue.shapes for queue in queues], strict=True)
        ]
        reference = gather(stack([queue.queue_ref for queue in queues]), index)
        return QueueBase(first.dtypes, shapes, first.names, reference)

    @property
    def queue_ref(self) -> Tensor:
        """The handle of the queue."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the op that makes the queue."""
        return self._queue_ref.op.name

    def _op(self, versions: dict[str, OpDef[Any]]) -> OpDef[Any]:
        return versions["V2" if self._queue_ref.dtype is resource else ""]

    def _components(self, vals: Any) -> list[Tensor]:
        if self._names is not None:
            if not isinstance(vals, dict):
                raise ValueError("You must enqueue a dictionary in a Queue with names")
            if sorted(self._names) != sorted(vals):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                    f"{sorted(vals)},Queue: {sorted(self._names)}"
                )
            vals = [vals[name] for name in self._names]
        elif isinstance(vals, dict):
            raise ValueError("Queue must have names to enqueue a dictionary")
        elif not isinstance(vals, (list, tuple)) or (len(self._dtypes) == 1 and len(vals) != 1):
            vals = [vals]
        if len(vals) != len(self._dtypes):
            raise ValueError(
                f"an element of the queue {self.name!r} has {len(self._dtypes)} components, got "
                f"{len(vals)}"
            )
        return [
            convert_to_tensor(value, dtype, name=f"component_{i}")
            for i, (value, dtype) in enumerate(zip(vals, self._dtypes, strict=True))
        ]

    def enqueue(self, vals: Any, name: str | None = None) -> Operation:
        """An op that puts an element into the queue, waiting for room.

        Args:
            vals: a tensor, a list of them, or a dict where the queue has names.
            name: a name for the op.

        Raises:
            ValueError: it has another number of components, or they do not fit the shapes.
            CancelledError: in a run, the queue or the session is closed.
        """
        with _scope(self._queue_ref, name or f"{self._name}_enqueue") as scope:
            components = self._components(vals)
            for value, shape in zip(components, self._shapes, strict=True):
                value.shape.assert_is_compatible_with(shape)
            op: Operation = self._op(ENQUEUE)(self._queue_ref, components, name=scope)
        return op

    def enqueue_many(self, vals: Any, name: str | None = None) -> Operation:
        """An op that puts elements into the queue, one for each row, waiting for room.

        Args:
            vals: as for `enqueue`, with one dimension more, of the same size in all.
            name: a name for the op.

        Raises:
            ValueError: it has another number of components, or they do not fit the shapes.
            CancelledError: in a run, the queue or the session is closed.
        """
        with _scope(self._queue_ref, name or f"{self._name}_EnqueueMany") as scope:
            components = self._components(vals)
            number = TensorShape([None])
            for value, shape in zip(components, self._shapes, strict=True):
                number = number.merge_with(value.shape.with_rank_at_least(1)[:1])
                value.shape[1:].assert_is_compatible_with(shape)
            op: Operation = self._op(ENQUEUE_MANY)(self._queue_ref, components, name=scope)
        return op

    def dequeue(self, name: str | None = None) -> Any:
        """An op that takes an element out of the queue, waiting for one.

        Args:
            name: a name for the op.

        Returns:
            A tensor, a list of them, or a dict where the queue has names.

        Raises:
            OutOfRangeError: in a run, the queue is closed and has no more elements.
            CancelledError: in a run, the session is closed.
        """
        outputs = self._taken(DEQUEUE, [], name or f"{self._name}_Dequeue")
        for output, shape in zip(outputs, self._shapes, strict=True):
            output.set_shape(shape)
        return self._structured(outputs)

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """An op that takes some elements out of the queue, waiting until there are enough.

        Args:
            n: how many: an int32 scalar.
            name: a name for the op.

        Returns:
            As for `dequeue`, with one dimension more: the elements stacked.

        Raises:
            OutOfRangeError: in a run, the queue is closed and has fewer elements; they stay there.
            InvalidArgumentError: in a run, the queue does not know the shapes of its elements.
            CancelledError: in a run, the session is closed.
        """
        outputs = self._taken(DEQUEUE_MANY, [n], name or f"{self._name}_DequeueMany")
        for output, shape in zip(outputs, self._shapes, strict=True):
            output.set_shape(TensorShape([None]) + shape)
        return self._structured(outputs)

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """As `dequeue_many`; fewer than `n`, but not none, where the queue is closed.

        Args:
            n: how many at most: an int32 scalar.
            name: a name for the op.

        Raises:
            OutOfRangeError: in a run, the queue is closed and has no more elements.
            CancelledError: in a run, the session is closed.
        """
        outputs = self._taken(DEQUEUE_UP_TO, [n], name or f"{self._name}_DequeueUpTo")
        for output, shape in zip(outputs, self._shapes, strict=True):
            output.set_shape(TensorShape([None]) + shape)
        return self._structured(outputs)

    def _taken(self, versions: dict[str, OpDef[Any]], inputs: list[Any], name: str) -> list[Tensor]:
        with graph_using(self._queue_ref.graph).as_default():
            outputs = self._op(versions)(
                self._queue_ref, *inputs, component_types=self._dtypes, name=name
            )
        return list(outputs)

    def _structured(self, outputs: list[Tensor]) -> Any:
        if self._names is not None:
            return dict(zip(self._names, outputs, strict=True))
        return outputs[0] if len(outputs) == 1 else outputs

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """An op that closes the queue: nothing more goes in, and what is inside may come out.

        Args:
            cancel_pending_enqueues: whether enqueues that wait for room are cancelled. Otherwise
                they are done first.
            name: a name for the op.

        Raises:
            CancelledError: in a run, the queue is closed already, where nothing is cancelled.
        """
        return self._op(CLOSE)(
            self._queue_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=name or f"{self._name}_Close",
        )

    def is_closed(self, name: str | None = None) -> Tensor:
        """True if the queue is closed: a bool scalar."""
        return self._op(IS_CLOSED)(self._queue_ref, name=name or f"{self._name}_Is_Closed")

    def size(self, name: str | None = None) -> Tensor:
        """Number of elements in the queue: an int32 scalar."""
        return self._op(SIZE)(self._queue_ref, name=name or f"{self._name}_Size")


@contextmanager
def _scope(reference: Tensor, name: str) -> Iterator[str]:
    """The graph of a queue, and a name scope in it for the inputs of an op of that name."""
    with graph_using(reference.graph).as_default() as graph, graph.name_scope(name) as scope:
        yield scope


def _in_common(shapes: Sequence[TensorShape]) -> TensorShape:
    """The sizes that several shapes share."""
    ranks = {shape.rank for shape in shapes}
    if len(ranks) > 1 or None in ranks:
        return TensorShape(None)
    columns = zip(*[shape.as_list() for shape in shapes], strict=True)
    return TensorShape([sizes[0] if len(set(sizes)) == 1 else None for sizes in columns])
