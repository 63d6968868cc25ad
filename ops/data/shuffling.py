"""Shuffling with a buffer, in TensorFlow's order."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...graph.op_def import OpDef
from ...runtime.object_arrays import handle_to
from ...runtime.waiting import Waits
from ...shape_inference.context import KernelContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR
from ...shape_inference.traits import STATEFUL
from ..queues.handles import kept_behind, nothing_shape, scalar_shape
from ..random.random_state import seeded_or_random
from .dataset_elements import INFINITE, Derived, Elements, Source, source_of
from .dataset_ops import NOTED, at_least, dataset_op, number_of
from .sources import words_of

if TYPE_CHECKING:
    from .dataset_elements import Element

_OF = "input_dataset: variant, buffer_size: int64"
_SEEDS = "seed: int64, seed2: int64"
_AGAIN = f"reshuffle_each_iteration: bool = true, {NOTED}"
# Each has a generator of its own, even where two ops take the same: so they are stateful.
SHUFFLE_DATASET = dataset_op("ShuffleDataset", f"{_OF}, {_SEEDS}", _AGAIN, traits=STATEFUL)
SHUFFLE_DATASET_V2 = dataset_op(
    "ShuffleDatasetV2", f"{_OF}, seed_generator: resource", traits=STATEFUL
)
SHUFFLE_DATASET_V3 = dataset_op(
    "ShuffleDatasetV3", f"{_OF}, {_SEEDS}, seed_generator: resource", _AGAIN, traits=STATEFUL
)
SHUFFLE_AND_REPEAT_DATASET = dataset_op(
    "ShuffleAndRepeatDataset", f"{_OF}, {_SEEDS}, count: int64", _AGAIN, traits=STATEFUL
)
SHUFFLE_AND_REPEAT_DATASET_V2 = dataset_op(
    "ShuffleAndRepeatDatasetV2",
    f"{_OF}, {_SEEDS}, count: int64, seed_generator: resource",
    _AGAIN,
    traits=STATEFUL,
)
ANONYMOUS_SEED_GENERATOR = OpDef(
    "AnonymousSeedGenerator",
    f"{_SEEDS}, reshuffle: bool -> handle: resource, deleter: variant",
    traits=STATEFUL,
)
ANONYMOUS_RANDOM_SEED_GENERATOR = OpDef(
    "AnonymousRandomSeedGenerator",
    f"{_SEEDS} -> handle: resource, deleter: variant",
    traits=STATEFUL,
)
DELETE_SEED_GENERATOR: OpDef[Any] = OpDef(
    "DeleteSeedGenerator", "handle: resource, deleter: variant ->", traits=STATEFUL
)
DELETE_RANDOM_SEED_GENERATOR: OpDef[Any] = OpDef(
    "DeleteRandomSeedGenerator", "handle: resource, deleter: variant ->", traits=STATEFUL
)
DUMMY_SEED_GENERATOR = OpDef("DummySeedGenerator", "-> handle: resource", traits=STATEFUL)

_EPOCHS_IN_BUFFER = 3


class SeedGenerator:
    """The seeds of each pass over a dataset that is shuffled: others each time, or the same."""

    kind = "SeedGenerator"

    def __init__(self, seed: int, seed2: int, again: bool) -> None:
        first = seeded_or_random(seed, seed2)
        self._fixed = (first.key, first.counter >> 64)
        self._words = words_of(first)
        self._again = again
        self._lock = threading.Lock()

    def seeds(self) -> tuple[int, int]:
        """The seeds of the next pass."""
        if not self._again:
            return self._fixed
        with self._lock:
            return next(self._words), next(self._words)


class Shuffled(Derived):
    """The elements of a dataset in random order, perhaps again and again."""

    def __init__(
        self, source: Source, buffer_size: int, generator: SeedGenerator, count: int = 1
    ) -> None:
        super().__init__(source)
        self.buffer_size, self.generator, self.count = buffer_size, generator, count

    def elements(self, waits: Waits) -> Elements:
        """All elements."""
        return _Shuffled(self, waits)

    def words(self) -> Iterator[int]:
        """The random words of the next pass."""
        return words_of(seeded_or_random(*self.generator.seeds()))

    def number(self) -> int:
        """Number of elements."""
        inner = self.source.number()
        if self.count < 0:
            return INFINITE if inner else 0
        return inner * self.count if inner >= 0 else inner


class _Shuffled(Elements):
    """Draws from the elements of the oldest epoch in the buffer, until there are none of it.

    What is drawn leaves its place to the first of its epoch, as in TensorFlow's
    `shuffle_dataset_op.cc`: so the order is TensorFlow's.
    """

    def __init__(self, source: Shuffled, waits: Waits) -> None:
        self._source, self._waits = source, waits
        self._words = source.words()
        self._buffer: dict[int, Element] = {}  # by place, counted on without end
        self._epochs: deque[list[int]] = deque()  # where those of each begin and end
        self._inner: Elements | None = None
        self._begun = 0
        self._fruitful = True

    def next(self) -> Element | None:
        self._fill()
        if not self._buffer:
            return None
        while self._epochs[0][0] == self._epochs[0][1]:
            self._epochs.popleft()
            self._words = self._source.words()
        epoch = self._epochs[0]
        first = epoch[0]
        place = first + next(self._words) % (epoch[1] - first)
        element = self._buffer[place]
        self._buffer[place] = self._buffer[first]
        del self._buffer[first]
        epoch[0] = first + 1
        return element

    def _fill(self) -> None:
        source, buffer = self._source, self._buffer
        while len(buffer) < source.buffer_size:
            if self._inner is None and not self._next_epoch():
                return
            element = None if self._inner is None else self._inner.next()
            if element is None:
                self._inner = None
                if not self._fruitful and source.count < 0:
                    self._begun = -1
                    return
                continue
            self._fruitful = True
            epoch = self._epochs[-1]
            buffer[epoch[1]] = element
            epoch[1] += 1

    def _next_epoch(self) -> bool:
        """Begins the next epoch, if there is one and the buffer may hold of it."""
        count = self._source.count
        if self._begun < 0 or (0 <= count <= self._begun):
            return False
        if len(self._epochs) > _EPOCHS_IN_BUFFER and self._buffer:
            return False
        end = self._epochs[-1][1] if self._epochs else 0
        self._fruitful = self._begun > 0 and self._fruitful
        self._epochs.append([end, end])
        self._begun += 1
        self._inner = self._source.source.elements(self._waits)
        return True


def _buffer_of(c_size: Array, source: Source) -> int:
    size = number_of(c_size, "buffer_size")
    if size == -2:  # as many as there are
        return max(source.number(), 1) if source.number() >= 0 else 2**62
    return at_least(1, c_size, "buffer_size")


@SHUFFLE_DATASET.kernel
@SHUFFLE_DATASET_V3.kernel
def _shuffle_kernel(c: KernelContext) -> Kernel:
    again = c.attr("reshuffle_each_iteration")

    def shuffle(
        input_dataset: Array, buffer_size: Array, seed: Array, seed2: Array, shared: Any = None
    ) -> Array:
        source = source_of(input_dataset)
        generator = _generator(shared) or SeedGenerator(
            number_of(seed, "seed"), number_of(seed2, "seed2"), again
        )
        return Shuffled(source, _buffer_of(buffer_size, source), generator).handle

    return shuffle


@SHUFFLE_DATASET_V2.kernel
def _shuffle_v2_kernel(c: KernelContext) -> Kernel:

    def shuffle(input_dataset: Array, buffer_size: Array, seed_generator: Array) -> Array:
        source = source_of(input_dataset)
        generator = _generator(seed_generator) or SeedGenerator(0, 0, True)
        return Shuffled(source, _buffer_of(buffer_size, source), generator).handle

    return shuffle


@SHUFFLE_AND_REPEAT_DATASET.kernel
@SHUFFLE_AND_REPEAT_DATASET_V2.kernel
def _shuffle_and_repeat_kernel(c: KernelContext) -> Kernel:
    again = c.attr("reshuffle_each_iteration")

    def shuffle(
        input_dataset: Array,
        buffer_size: Array,
        seed: Array,
        seed2: Array,
        count: Array,
        shared: Any = None,
    ) -> Array:
        source, rounds = source_of(input_dataset), number_of(count, "count")
        if rounds < 1 and rounds != -1:
            raise ValueError(f"count must be greater than zero or equal to -1, got {rounds}")
        generator = _generator(shared) or SeedGenerator(
            number_of(seed, "seed"), number_of(seed2, "seed2"), again
        )
        return Shuffled(source, _buffer_of(buffer_size, source), generator, rounds).handle

    return shuffle


def _generator(handle: Any) -> SeedGenerator | None:
    """The generator that a handle stands for; None for none, and for one that is a stand-in."""
    if handle is None:
        return None
    generator: SeedGenerator = kept_behind(handle, SeedGenerator, "a generator of seeds")
    return None if isinstance(generator, _NoGenerator) else generator


class _NoGenerator(SeedGenerator):
    """Result of `DummySeedGenerator`: the op that takes it has its own generator."""

    def __init__(self) -> None:
        super().__init__(0, 0, False)


@ANONYMOUS_SEED_GENERATOR.shape
@ANONYMOUS_RANDOM_SEED_GENERATOR.shape
def _generator_shape(c: Any) -> list[Any]:
    return [SCALAR, SCALAR]


@ANONYMOUS_SEED_GENERATOR.kernel
@ANONYMOUS_RANDOM_SEED_GENERATOR.kernel
def _generator_kernel(c: KernelContext) -> Kernel:

    def generator(seed: Array, seed2: Array, reshuffle: Any = True) -> tuple[Array, Array]:
        seeds = number_of(seed, "seed"), number_of(seed2, "seed2")
        handle = handle_to(SeedGenerator(*seeds, bool(reshuffle)))
        return handle, handle

    return generator


DUMMY_SEED_GENERATOR.shape(scalar_shape)
DELETE_SEED_GENERATOR.shape(nothing_shape)
DELETE_RANDOM_SEED_GENERATOR.shape(nothing_shape)


@DUMMY_SEED_GENERATOR.kernel
def _dummy_kernel(c: KernelContext) -> Kernel:
    handle = handle_to(_NoGenerator())

    def dummy() -> Array:
        return handle

    return dummy


@DELETE_SEED_GENERATOR.kernel
@DELETE_RANDOM_SEED_GENERATOR.kernel
def _delete_kernel(c: KernelContext) -> Kernel:

    def forget(handle: Array, deleter: Array) -> tuple[()]:
        return ()

    return forget
