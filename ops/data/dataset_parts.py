"""Take, skip, repeat, concatenate and zip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...runtime.waiting import RUN_OVER, Waits
from ...shape_inference.context import KernelContext
from ...shape_inference.handle_data import common_shape
from ...shape_inference.protocols import Array, Kernel
from .dataset_elements import (
    INFINITE,
    UNKNOWN,
    Derived,
    Elements,
    Source,
    check_alike,
    joined_rows,
    source_of,
)
from .dataset_ops import NOTED, dataset_op, number_of

if TYPE_CHECKING:
    from .dataset_elements import Element

_OF = "input_dataset: variant"
TAKE_DATASET = dataset_op("TakeDataset", f"{_OF}, count: int64")
SKIP_DATASET = dataset_op("SkipDataset", f"{_OF}, count: int64")
REPEAT_DATASET = dataset_op("RepeatDataset", f"{_OF}, count: int64")
CONCATENATE_DATASET = dataset_op("ConcatenateDataset", f"{_OF}, another_dataset: variant")
ZIP_DATASET = dataset_op("ZipDataset", "input_datasets: N * variant", f"N: int >= 1, {NOTED}")


class _Limited(Elements):
    """The first elements of some."""

    def __init__(self, source: Elements, limit: int) -> None:
        self._source = source
        self._left = limit

    def next(self) -> Element | None:
        if not self._left:
            return None
        element = self._source.next()
        self._left = 0 if element is None else self._left - 1
        return element

    def rows(self, number: int) -> Element | None:
        number = min(number, self._left)
        rows = self._source.rows(number) if number else None
        self._left = 0 if rows is None else self._left - len(rows[0])
        return rows


class _Behind(Elements):
    """The elements behind some that are left out."""

    def __init__(self, source: Elements, skipped: int) -> None:
        self._source = source
        self._skipped = skipped

    def _skip(self) -> None:
        while self._skipped:
            if self._source.rows(1) is None:
                self._skipped = 0
            else:
                self._skipped -= 1

    def next(self) -> Element | None:
        if self._skipped:
            self._skip()
        return self._source.next()

    def rows(self, number: int) -> Element | None:
        if self._skipped:
            self._skip()
        return self._source.rows(number)


class _Part(Derived):
    def __init__(self, source: Source, count: int) -> None:
        super().__init__(source)
        self.count = count


class Taken(_Part):
    """The first elements of a dataset; all where the count is negative."""

    def elements(self, waits: Waits) -> Elements:
        """All elements."""
        inner = self.source.elements(waits)
        return inner if self.count < 0 else _Limited(inner, self.count)

    def number(self) -> int:
        """Number of elements."""
        inner = self.source.number()
        if self.count < 0 or 0 <= inner < self.count:
            return inner
        return UNKNOWN if inner == UNKNOWN and self.count else self.count


class Skipped(_Part):
    """The elements of a dataset behind the first; none where the count is negative."""

    def elements(self, waits: Waits) -> Elements:
        """All elements."""
        inner = self.source.elements(waits)
        return _Limited(inner, 0) if self.count < 0 else _Behind(inner, self.count)

    def number(self) -> int:
        """Number of elements."""
        inner = self.source.number()
        if self.count < 0:
            return 0
        return inner if inner < 0 else max(inner - self.count, 0)


class Repeated(_Part):
    """The elements of a dataset again and again; without end where the count is negative."""

    def elements(self, waits: Waits) -> Elements:
        """All elements."""
        if self.count == 1:
            return self.source.elements(waits)
        return _Rounds([self.source], waits, self.count)

    def number(self) -> int:
        """Number of elements."""
        inner = self.source.number()
        if self.count < 0:
            return INFINITE if inner else 0
        return inner * self.count if inner >= 0 else (inner if self.count else 0)


class _Rounds(Elements):
    """The elements of datasets, one dataset after the other, and all of them some times."""

    def __init__(self, sources: Sequence[Source], waits: Waits, rounds: int = 1) -> None:
        self._sources = sources
        self._waits = waits
        self._left = rounds * len(sources)  # negative for no end
        self._place = 0
        self._now: Elements | None = None
        self._fruitful = True  # whether the round before gave an element

    def next(self) -> Element | None:
        while (inner := self._inner()) is not None:
            element = inner.next()
            if element is not None:
                self._fruitful = True
                return element
            self._now = None
        return None

    def rows(self, number: int) -> Element | None:
        parts: list[Element] = []
        missing = number
        while missing and (inner := self._inner()) is not None:
            part = inner.rows(missing)
            if part is None:
                self._now = None
            else:
                self._fruitful = True
                parts.append(part)
                missing -= len(part[0])
        return joined_rows(parts) if parts else None

    def _inner(self) -> Elements | None:
        if self._now is None:
            started = self._place > 0
            if started:
                self._left -= 1 if self._left > 0 else 0
            if not self._left or not self._fruitful:
                self._left = 0
                return None
            self._now = self._sources[self._place % len(self._sources)].elements(self._waits)
            self._place += 1
            # A dataset that is repeated without end and has no elements has come to its end.
            self._fruitful = self._left > 0
        return self._now


class Joined(Source):
    """The elements of one dataset, and then those of another."""

    def __init__(self, first: Source, second: Source) -> None:
        check_alike(first, second, "another_dataset")
        pairs = zip(first.shapes, second.shapes, strict=True)
        super().__init__(first.dtypes, [common_shape(one, other) for one, other in pairs])
        self._sources = [first, second]

    def elements(self, waits: Waits) -> Elements:
        """All elements."""
        return _Rounds(self._sources, waits)

    def number(self) -> int:
        """Number of elements."""
        numbers = [source.number() for source in self._sources]
        if INFINITE in numbers:
            return INFINITE
        return UNKNOWN if UNKNOWN in numbers else sum(numbers)


class Zipped(Source):
    """The elements of several datasets side by side, as many as there are of the shortest."""

    def __init__(self, sources: Sequence[Source]) -> None:
        super().__init__(
            [dtype for source in sources for dtype in source.dtypes],
            [shape for source in sources for shape in source.shapes],
        )
        self._sources = sources

    def elements(self, waits: Waits) -> Elements:
        """All elements."""
        return _Zipped([source.elements(waits) for source in self._sources])

    def number(self) -> int:
        """Number of elements."""
        numbers = [source.number() for source in self._sources]
        if UNKNOWN in numbers:
            return UNKNOWN
        return min([number for number in numbers if number >= 0], default=INFINITE)


class _Zipped(Elements):
    def __init__(self, inner: Sequence[Elements]) -> None:
        self._inner = inner
        self._ended = False
        self._given: list[Any] = []  # of the next element, where a run has ended in between

    def next(self) -> Element | None:
        """The next of each; where one fails, the others have gone on, too."""
        if self._ended:
            return None
        given = self._given
        for elements in self._inner[len(given) :]:
            try:
                element = elements.next()
            except RUN_OVER:  # the next run continues here, so that the elements stay aligned
                raise
            except Exception as error:  # noqa: BLE001 - raised once all have gone on
                given.append(error)
                continue
            if element is None:
                self._ended = True
                return None
            given.append(element)
        self._given = []
        for item in given:
            if isinstance(item, Exception):
                raise item
        return tuple([array for element in given for array in element])

    def rows(self, number: int) -> Element | None:
        """Rows of each, where none can fail while others have gone on."""
        if self._given or not all(inner.sure for inner in self._inner):
            return super().rows(number)
        first, *rest = self._inner  # the run ends here or nowhere, so that they stay side by side
        parts = [first.rows(number), *[inner.unwatched.rows(number) for inner in rest]]
        elements = [part for part in parts if part is not None]
        if self._ended or len(elements) < len(parts):
            self._ended = True
            return None
        least = min([len(part[0]) for part in elements])
        self._ended = least < number
        return tuple([column[:least] for part in elements for column in part])


@TAKE_DATASET.kernel
def _take_kernel(c: KernelContext) -> Kernel:

    def take(input_dataset: Array, count: Array) -> Array:
        return Taken(source_of(input_dataset), number_of(count, "count")).handle

    return take


@SKIP_DATASET.kernel
def _skip_kernel(c: KernelContext) -> Kernel:

    def skip(input_dataset: Array, count: Array) -> Array:
        return Skipped(source_of(input_dataset), number_of(count, "count")).handle

    return skip


@REPEAT_DATASET.kernel
def _repeat_kernel(c: KernelContext) -> Kernel:

    def repeat(input_dataset: Array, count: Array) -> Array:
        return Repeated(source_of(input_dataset), number_of(count, "count")).handle

    return repeat


@CONCATENATE_DATASET.kernel
def _concatenate_kernel(c: KernelContext) -> Kernel:

    def concatenate(input_dataset: Array, another_dataset: Array) -> Array:
        return Joined(source_of(input_dataset), source_of(another_dataset)).handle

    return concatenate


@ZIP_DATASET.kernel
def _zip_kernel(c: KernelContext) -> Kernel:

    def zip_all(*input_datasets: Array) -> Array:
        return Zipped([source_of(handle) for handle in input_datasets]).handle

    return zip_all
