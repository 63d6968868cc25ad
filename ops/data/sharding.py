"""Shards of datasets, and assertions of their cardinality."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...runtime import errors
from ...runtime.waiting import Waits
from ...shape_inference.context import KernelContext
from ...shape_inference.protocols import Array, Kernel
from .dataset_elements import INFINITE, UNKNOWN, Derived, Elements, Source, source_of
from .dataset_ops import NOTED, TYPED, at_least, dataset_op

if TYPE_CHECKING:
    from .dataset_elements import Element

_OF = "input_dataset: variant"
_SHARD = f"{_OF}, num_shards: int64, index: int64"
SHARD_DATASET = dataset_op("ShardDataset", _SHARD, f"require_non_empty: bool = false, {NOTED}")
ASSERT_CARDINALITY_DATASET = dataset_op(
    "AssertCardinalityDataset", f"{_OF}, cardinality: int64", TYPED
)


class Shard(Derived):
    """Every so manyeth element of a dataset."""

    def __init__(self, source: Source, shards: int, index: int, non_empty: bool) -> None:
        super().__init__(source)
        self._shards, self._index, self._non_empty = shards, index, non_empty

    def elements(self, waits: Waits) -> Elements:
        """All elements."""
        inner = self.source.elements(waits)
        return _Shard(inner, self._shards, self._index, self._non_empty)

    def number(self) -> int:
        """Number of elements."""
        inner = self.source.number()
        return inner if inner < 0 else (inner - self._index + self._shards - 1) // self._shards


class _Shard(Elements):
    def __init__(self, inner: Elements, shards: int, index: int, non_empty: bool) -> None:
        self._inner, self._shards, self._index = inner, shards, index
        self._place = 0
        self._must_have_one = non_empty

    def next(self) -> Element | None:
        while True:
            element = self._inner.next()
            if element is None:
                if self._must_have_one:
                    raise ValueError(
                        "Could not apply FILE based sharding: the dataset only has "
                        f"{self._place} elements, which is not enough for the required "
                        f"{self._shards} shards"
                    )
                return None
            mine = self._place % self._shards == self._index
            self._place += 1
            if mine:
                self._must_have_one = False
                return element


class Counted(Derived):
    """A dataset of which a program says how many elements it has."""

    def __init__(self, source: Source, number: int) -> None:
        super().__init__(source)
        self._number = number

    def elements(self, waits: Waits) -> Elements:
        """All elements."""
        return _Counted(self.source.elements(waits), self._number)

    def number(self) -> int:
        """Number of elements."""
        return self._number


class _Counted(Elements):
    def __init__(self, inner: Elements, number: int) -> None:
        self._inner, self._number = inner, number
        self._seen = 0

    def next(self) -> Element | None:
        element = self._inner.next()
        expected = {INFINITE: "an infinite number of elements", 1: "1 element"}.get(
            self._number, f"{self._number} elements"
        )
        message = ""
        if element is None:
            if self._number == INFINITE or self._seen < self._number:
                message = f"Input dataset was expected to contain {expected} but contained only "
                message += f"{self._seen} elements."
        else:
            self._seen += 1
            if 0 <= self._number < self._seen:
                message = (
                    f"Input dataset was expected to contain {expected} but contained at least "
                )
                message += f"{self._seen} elements."
        if message and self._number != UNKNOWN:
            raise errors.FailedPreconditionError(None, None, message)
        return element


@SHARD_DATASET.kernel
def _shard_kernel(c: KernelContext) -> Kernel:
    non_empty = c.attr("require_non_empty")

    def shard(input_dataset: Array, num_shards: Array, index: Array) -> Array:
        shards = at_least(1, num_shards, "num_shards")
        own = at_least(0, index, "index")
        if own >= shards:
            raise ValueError(f"index must be in [0, {shards}), as there are so many, got {own}")
        return Shard(source_of(input_dataset), shards, own, non_empty).handle

    return shard


@ASSERT_CARDINALITY_DATASET.kernel
def _assert_cardinality_kernel(c: KernelContext) -> Kernel:

    def count(input_dataset: Array, cardinality: Array) -> Array:
        number = at_least(UNKNOWN, cardinality, "cardinality")
        return Counted(source_of(input_dataset), number).handle

    return count
