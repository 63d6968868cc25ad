"""Datasets of datasets: flat map, interleaving, and choice by a selector."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...runtime.kernel_spec import KernelSpec
from ...runtime.waiting import Waits
from ...shape_inference.context import KernelContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.traits import Bodies
from .background import Ahead
from .dataset_elements import Elements, Source, check_alike, joined_rows, source_of
from .dataset_ops import NOTED, TYPED, at_least, dataset_op, number_of
from .function_runs import DatasetFunction, bound, known_elements, stated

if TYPE_CHECKING:
    from .dataset_elements import Element

_OF = "input_dataset: variant, other_arguments: Targuments"
_F = f"f: func, Targuments: list(type) >= 0, {NOTED}"
_OLD_F = f"f: func, Targuments: list(type) >= 0, {TYPED}"
_TURNS = f"{_OF}, cycle_length: int64, block_length: int64"
_SURE = "deterministic: string = 'default'"
_BUFFERS = "buffer_output_elements: int64, prefetch_input_elements: int64"
FLAT_MAP_DATASET = dataset_op("FlatMapDataset", _OF, _F, traits=Bodies())
INTERLEAVE_DATASET = dataset_op("InterleaveDataset", _TURNS, _F, traits=Bodies())
PARALLEL_INTERLEAVE_DATASET = dataset_op(
    "ParallelInterleaveDataset", f"{_TURNS}, sloppy: bool, {_BUFFERS}", _F, traits=Bodies()
)
EXPERIMENTAL_PARALLEL_INTERLEAVE_DATASET = dataset_op(
    "ExperimentalParallelInterleaveDataset",
    f"{_TURNS}, sloppy: bool, {_BUFFERS}",
    _OLD_F,
    traits=Bodies(),
)
LEGACY_PARALLEL_INTERLEAVE_DATASET = dataset_op(
    "LegacyParallelInterleaveDatasetV2", f"{_TURNS}, {_BUFFERS}", f"{_F}, {_SURE}", traits=Bodies()
)
PARALLEL_INTERLEAVE_DATASET_V2 = dataset_op(
    "ParallelInterleaveDatasetV2",
    f"{_TURNS}, num_parallel_calls: int64",
    f"{_F}, sloppy: bool = false",
    traits=Bodies(),
)
PARALLEL_INTERLEAVE_DATASET_V3 = dataset_op(
    "ParallelInterleaveDatasetV3",
    f"{_TURNS}, num_parallel_calls: int64",
    f"{_F}, {_SURE}",
    traits=Bodies(),
)
PARALLEL_INTERLEAVE_DATASET_V4 = dataset_op(
    "ParallelInterleaveDatasetV4",
    f"{_TURNS}, {_BUFFERS}, num_parallel_calls: int64",
    f"{_F}, {_SURE}",
    traits=Bodies(),
)
_SELECTED = "selector_input_dataset: variant, data_input_datasets: N * variant"
DIRECTED_INTERLEAVE_DATASET = dataset_op(
    "DirectedInterleaveDataset",
    _SELECTED,
    f"{TYPED}, N: int >= 1, stop_on_empty_dataset: bool = false",
)
EXPERIMENTAL_DIRECTED_INTERLEAVE_DATASET = dataset_op(
    "ExperimentalDirectedInterleaveDataset", _SELECTED, f"{TYPED}, N: int >= 1"
)

_AHEAD = 16  # elements that a thread of an interleaved dataset is ahead
_MOST_DATASETS = 1 << 16


class _Nested(Source):
    """A dataset of which a function makes datasets."""

    def __init__(
        self, source: Source, function: DatasetFunction, captured: Sequence[Array], what: Any
    ) -> None:
        super().__init__(*what)
        self.source, self.function, self.captured = source, function, captured

    def _opener(self, waits: Waits) -> Callable[[Element], Elements]:
        """A function from an element to the elements of its dataset."""
        call = self.function.calls(self.captured)

        def opened(element: Element) -> Elements:
            [handle] = call(element)
            source = source_of(handle)
            check_alike(self, source, "the dataset that the function returns")
            return source.elements(waits)

        return opened


class FlatMapped(_Nested):
    """The elements of the datasets that a function makes of elements, one behind the other."""

    def elements(self, waits: Waits) -> Elements:
        """All elements."""
        return _Flat(self.source.elements(waits), self._opener(waits))


class _Flat(Elements):
    def __init__(self, outer: Elements, opened: Callable[[Element], Elements]) -> None:
        self._outer, self._opened = outer, opened
        self._inner: Elements | None = None

    def next(self) -> Element | None:
        while True:
            if self._inner is None:
                element = self._outer.next()
                if element is None:
                    return None
                self._inner = self._opened(element)
            found = self._inner.next()
            if found is not None:
                return found
            self._inner = None

    def rows(self, number: int) -> Element | None:
        """Rows of as many datasets as it takes."""
        parts: list[Element] = []
        missing = number
        while missing:
            if self._inner is None:
                element = self._outer.next()
                if element is None:
                    break
                self._inner = self._opened(element)
            part = self._inner.rows(missing)
            if part is None:
                self._inner = None
            else:
                parts.append(part)
                missing -= len(part[0])
        return joined_rows(parts) if parts else None


class Interleaved(_Nested):
    """The elements of the datasets that a function makes of elements, in turns.

    Args:
        cycle: how many datasets are open at a time.
        block: how many elements of one come in a row.
        threads: whether each is read by a thread of its own.
    """

    def __init__(
        self,
        source: Source,
        function: DatasetFunction,
        captured: Sequence[Array],
        what: Any,
        turns: tuple[int, int],
        threads: bool = False,
    ) -> None:
        super().__init__(source, function, captured, what)
        self._turns, self._threads = turns, threads

    def elements(self, waits: Waits) -> Elements:
        """All elements."""
        opener = self._opener(waits)

        def ahead(element: Element) -> Any:
            return Ahead(opener(element), _AHEAD, waits).begun()

        outer = self.source.elements(waits)
        return (
            _Together(outer, ahead, *self._turns)
            if self._threads
            else _Turns(outer, opener, *self._turns)
        )


class _Turns(Elements):
    def __init__(
        self, outer: Elements, opened: Callable[[Element], Any], cycle: int, block: int
    ) -> None:
        self._outer, self._opened, self._block = outer, opened, block
        self._open: list[Any] = []
        self._cycle = cycle
        self._place = self._given = 0
        self._ended = False

    def next(self) -> Element | None:
        while True:
            inner = self._current()
            if inner is None:
                if self._ended and not any(item is not None for item in self._open):
                    return None
                self._step()
                continue
            element: Element | None = inner.next()
            if element is None:
                self._open[self._place] = None
                self._step()
                continue
            self._given += 1
            if self._given == self._block:
                self._step()
            return element

    def _step(self) -> None:
        self._place = (self._place + 1) % self._cycle
        self._given = 0

    def _current(self) -> Any:
        """The dataset whose turn it is, opened if there is another; None where there is none."""
        if self._place >= len(self._open):
            self._open.append(None)
        if self._open[self._place] is None and not self._ended:
            element = self._outer.next()
            if element is None:
                self._ended = True
            else:
                self._open[self._place] = self._opened(element)
        if self._ended:
            self._cycle = len(self._open)
        return self._open[self._place]


class _Together(_Turns):
    """As above, where all datasets of a cycle are opened at once, so that their threads work."""

    def next(self) -> Element | None:
        while not self._ended and len(self._open) < self._cycle:
            element = self._outer.next()
            if element is None:
                self._ended = True
            else:
                self._open.append(self._opened(element))
        return super().next()


class Directed(Source):
    """The elements of several datasets, chosen by another dataset of numbers."""

    def __init__(self, selector: Source, sources: Sequence[Source], stops: bool) -> None:
        for source in sources[1:]:
            check_alike(sources[0], source, "each of data_input_datasets")
        super().__init__(sources[0].dtypes, sources[0].shapes)
        self._selector, self._sources, self._stops = selector, sources, stops

    def elements(self, waits: Waits) -> Elements:
        """All elements."""
        inner = [source.elements(waits) for source in self._sources]
        return _Directed(self._selector.elements(waits), inner, self._stops)


class _Directed(Elements):
    def __init__(self, selector: Elements, inner: Sequence[Elements], stops: bool) -> None:
        self._selector, self._stops = selector, stops
        self._inner: list[Elements | None] = list(inner)

    def next(self) -> Element | None:
        while any(inner is not None for inner in self._inner):
            chosen = self._selector.next()
            if chosen is None:
                return None
            number = number_of(chosen[0], "the selector")
            if not 0 <= number < len(self._inner):
                raise ValueError(
                    f"Selector index out of range: {number} is not in [0, {len(self._inner)})"
                )
            inner = self._inner[number]
            element = None if inner is None else inner.next()
            if element is not None:
                return element
            self._inner[number] = None
            if self._stops:
                self._inner.clear()
        return None


def _function(c: KernelContext) -> DatasetFunction:
    function = DatasetFunction(c, "f", known_elements(c, "input_dataset"))
    if [dtype.name for dtype in function.dtypes()] != ["variant"]:
        raise ValueError("f must return one dataset")
    return function


@FLAT_MAP_DATASET.kernel
def _flat_map_kernel(c: KernelContext) -> KernelSpec:
    function, what = _function(c), stated(c)

    def flat_map(input_dataset: Array, *captured: Array) -> Array:
        return FlatMapped(bound(input_dataset, function), function, captured, what).handle

    return KernelSpec(flat_map, bodies={"function": function.run})


@INTERLEAVE_DATASET.kernel
@PARALLEL_INTERLEAVE_DATASET.kernel
@EXPERIMENTAL_PARALLEL_INTERLEAVE_DATASET.kernel
@LEGACY_PARALLEL_INTERLEAVE_DATASET.kernel
@PARALLEL_INTERLEAVE_DATASET_V2.kernel
@PARALLEL_INTERLEAVE_DATASET_V3.kernel
@PARALLEL_INTERLEAVE_DATASET_V4.kernel
def _interleave_kernel(c: KernelContext) -> KernelSpec:
    function, what = _function(c), stated(c)
    number = len(c.inputs("other_arguments"))
    threads = c.node.definition is not INTERLEAVE_DATASET

    def interleave(input_dataset: Array, *rest: Array) -> Array:
        captured, (cycle, block) = rest[:number], rest[number : number + 2]
        length = number_of(cycle, "cycle_length")
        length = _MOST_AUTOMATIC if length == -1 else at_least(1, cycle, "cycle_length")
        turns = min(length, _MOST_DATASETS), at_least(1, block, "block_length")
        source = bound(input_dataset, function)
        return Interleaved(source, function, captured, what, turns, threads).handle

    return KernelSpec(interleave, bodies={"function": function.run})


_MOST_AUTOMATIC = 4


@DIRECTED_INTERLEAVE_DATASET.kernel
@EXPERIMENTAL_DIRECTED_INTERLEAVE_DATASET.kernel
def _directed_kernel(c: KernelContext) -> Kernel:
    stops = bool(c.node.attrs.get("stop_on_empty_dataset", False))

    def directed(selector: Array, *datasets: Array) -> Array:
        sources = [source_of(handle) for handle in datasets]
        return Directed(source_of(selector), sources, stops).handle

    return directed
