"""Elements of datasets grouped by a key: in windows that a function makes datasets of, reduced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.bodies import Known
from ...protos.dtypes import int64, variant
from ...runtime.kernel_spec import KernelSpec
from ...runtime.waiting import Waits
from ...shape_inference.context import KernelContext
from ...shape_inference.protocols import Array
from ...shape_inference.rules import SCALAR
from ...shape_inference.traits import Bodies
from .dataset_elements import Elements, Listed, Source, check_alike, source_of
from .dataset_ops import NOTED, TYPED, dataset_op, number_of
from .function_runs import DatasetFunction, known_elements, stated

if TYPE_CHECKING:
    from .dataset_elements import Element

_WINDOWS = ("key_func", "reduce_func", "window_size_func")
_REDUCERS = ("key_func", "init_func", "reduce_func", "finalize_func")


def _arguments(functions: Sequence[str]) -> tuple[str, str]:
    """The inputs and the attrs of an op that takes functions, each with what it has captured."""
    inputs = ", ".join([f"{name}_other_arguments: T{name}_other_arguments" for name in functions])
    funcs = ", ".join([f"{name}: func" for name in functions])
    types = ", ".join([f"T{name}_other_arguments: list(type) >= 0" for name in functions])
    return f"input_dataset: variant, {inputs}", f"{funcs}, {types}"


_WINDOW_INPUTS, _WINDOW_ATTRS = _arguments(_WINDOWS)
_REDUCER_INPUTS, _REDUCER_ATTRS = _arguments(_REDUCERS)
GROUP_BY_WINDOW_DATASET = dataset_op(
    "GroupByWindowDataset", _WINDOW_INPUTS, f"{_WINDOW_ATTRS}, {NOTED}", traits=Bodies()
)
EXPERIMENTAL_GROUP_BY_WINDOW_DATASET = dataset_op(
    "ExperimentalGroupByWindowDataset", _WINDOW_INPUTS, f"{_WINDOW_ATTRS}, {TYPED}", traits=Bodies()
)
GROUP_BY_REDUCER_DATASET = dataset_op(
    "GroupByReducerDataset", _REDUCER_INPUTS, f"{_REDUCER_ATTRS}, {TYPED}",
    traits=Bodies(stateful=True),
)  # fmt: skip
EXPERIMENTAL_GROUP_BY_REDUCER_DATASET = dataset_op(
    "ExperimentalGroupByReducerDataset", _REDUCER_INPUTS, f"{_REDUCER_ATTRS}, {TYPED}",
    traits=Bodies(stateful=True),
)  # fmt: skip


class Grouped(Source):
    """The elements of the datasets that a function makes of windows of elements of one key."""

    def __init__(self, source: Source, calls: Sequence[Any], what: Any) -> None:
        super().__init__(*what)
        self.source, self.calls = source, calls

    def elements(self, waits: Waits) -> Elements:
        """All elements."""
        return _Grouped(self, self.source.elements(waits), waits)


class _Grouped(Elements):
    """Windows leave when they are full; the rest at the end, in the order of their keys."""

    def __init__(self, source: Grouped, inner: Elements, waits: Waits) -> None:
        self._source, self._inner, self._waits = source, inner, waits
        self._key, self._reduce, self._size = source.calls
        self._groups: dict[int, list[Element]] = {}
        self._sizes: dict[int, int] = {}
        self._current: Elements | None = None
        self._ended = False

    def next(self) -> Element | None:
        while True:
            if self._current is not None:
                element = self._current.next()
                if element is not None:
                    return element
                self._current = None
            if not self._ended:
                self._gather()
            elif self._groups:
                self._leave(min(self._groups))
            else:
                return None

    def _gather(self) -> None:
        element = self._inner.next()
        if element is None:
            self._ended = True
            return
        key = number_of(self._key(element)[0], "the key")
        if key not in self._groups:
            size = number_of(self._size((np.array(key, np.int64),))[0], "the window size")
            if size < 1:
                raise ValueError(f"Window size must be greater than zero, but got {size}.")
            self._groups[key], self._sizes[key] = [], size
        group = self._groups[key]
        group.append(element)
        if len(group) == self._sizes[key]:
            self._leave(key)

    def _leave(self, key: int) -> None:
        source = self._source.source
        window = Listed(self._groups.pop(key), source.dtypes, source.shapes)
        [handle] = self._reduce((np.array(key, np.int64), window.handle))
        made = source_of(handle)
        check_alike(self._source, made, "the dataset that reduce_func returns")
        self._current = made.elements(self._waits)


class Reduced(Source):
    """What functions make of all elements of each key."""

    def __init__(self, source: Source, calls: Sequence[Any], what: Any) -> None:
        super().__init__(*what)
        self.source, self.calls = source, calls

    def elements(self, waits: Waits) -> Elements:
        """All elements."""
        return _Reduced(self.source.elements(waits), *self.calls)


class _Reduced(Elements):
    def __init__(
        self,
        inner: Elements,
        key: Callable[[Element], Element],
        init: Callable[[Element], Element],
        reduce: Callable[[Element], Element],
        finalize: Callable[[Element], Element],
    ) -> None:
        self._inner, self._key, self._init = inner, key, init
        self._reduce, self._finalize = reduce, finalize
        self._states: dict[int, Element] = {}
        self._ended = False

    def next(self) -> Element | None:
        while not self._ended:
            element = self._inner.next()
            if element is None:
                self._ended = True
                break
            key = number_of(self._key(element)[0], "the key")
            state = self._states.get(key)
            if state is None:
                state = self._init((np.array(key, np.int64),))
            self._states[key] = self._reduce((*state, *element))
        if not self._states:
            return None
        return self._finalize(self._states.pop(next(iter(self._states))))


_KEY = Known(SCALAR)


def _functions(
    c: KernelContext, names: Sequence[str], taken: Sequence[Sequence[Known]]
) -> list[DatasetFunction]:
    """The functions of an op, each with what is known of what it takes first."""
    return [
        DatasetFunction(c, name, known, f"{name}_other_arguments")
        for name, known in zip(names, taken, strict=True)
    ]


def _calls(
    c: KernelContext, functions: Sequence[DatasetFunction], names: Sequence[str]
) -> Callable[[Sequence[Array]], list[Any]]:
    """What makes of the captured tensors of all functions the functions."""
    numbers = [len(c.inputs(f"{name}_other_arguments")) for name in names]

    def calls(captured: Sequence[Array]) -> list[Any]:
        rest = list(captured)
        made = []
        for function, number in zip(functions, numbers, strict=True):
            made.append(function.calls(rest[:number]))
            del rest[:number]
        return made

    return calls


def _check_key(key_func: DatasetFunction) -> None:
    if key_func.dtypes() != [int64]:
        raise ValueError("key_func must return one int64 scalar")


@GROUP_BY_WINDOW_DATASET.kernel
@EXPERIMENTAL_GROUP_BY_WINDOW_DATASET.kernel
def _group_by_window_kernel(c: KernelContext) -> KernelSpec:
    elements = known_elements(c, "input_dataset")
    window = Known(SCALAR, None, c.content("input_dataset"))
    functions = _functions(c, _WINDOWS, [elements, [_KEY, window], [_KEY]])
    _check_key(functions[0])
    if functions[1].dtypes() != [variant]:
        raise ValueError("reduce_func must return one dataset")
    if functions[2].dtypes() != [int64]:
        raise ValueError("window_size_func must return one int64 scalar")
    calls, what = _calls(c, functions, _WINDOWS), stated(c)

    def group(input_dataset: Array, *captured: Array) -> Array:
        source = source_of(input_dataset)
        functions[0].check(source)
        return Grouped(source, calls(captured), what).handle

    runs = [function.run for function in functions]
    return KernelSpec(group, bodies=dict(zip(_WINDOWS, runs, strict=True)))


@GROUP_BY_REDUCER_DATASET.kernel
@EXPERIMENTAL_GROUP_BY_REDUCER_DATASET.kernel
def _group_by_reducer_kernel(c: KernelContext) -> KernelSpec:
    elements = known_elements(c, "input_dataset")
    init = DatasetFunction(c, "init_func", [_KEY], "init_func_other_arguments")
    state = [Known() for _ in init.dtypes()]
    functions = _functions(c, _REDUCERS, [elements, [_KEY], [*state, *elements], state])
    _check_key(functions[0])
    functions[2].check_returned(init.dtypes())
    calls, what = _calls(c, functions, _REDUCERS), stated(c)
    functions[3].check_returned(what[0])

    def group(input_dataset: Array, *captured: Array) -> Array:
        source = source_of(input_dataset)
        functions[0].check(source)
        return Reduced(source, calls(captured), what).handle

    runs = [function.run for function in functions]
    return KernelSpec(group, bodies=dict(zip(_REDUCERS, runs, strict=True)))
