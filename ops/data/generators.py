"""Datasets of Python generators, and the op behind them."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.bodies import Known
from ...graph.convert import convert_to_tensor
from ...graph.default_graph import get_default_graph
from ...graph.node import Tensor
from ...protos.constant_array import constant_array
from ...protos.dtypes import int64
from ...runtime import errors
from ...runtime.kernel_spec import KernelSpec
from ...shape_inference.context import KernelContext
from ...shape_inference.protocols import Array
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Bodies
from ..debugging.py_func import py_func
from .dataset_elements import Elements, Leaf as LeafSource
from .dataset_ops import NOTED, dataset_op
from .element_functions import built
from .element_specs import Leaf, leaves, typed, upto
from .function_runs import DatasetFunction, stated

if TYPE_CHECKING:
    from .dataset_elements import Element


class _Generators:
    """Generators that are under way, by number."""

    def __init__(self, generator: Callable[..., Any], element: Any) -> None:
        self._generator, self._element = generator, element
        self._leaves: list[Leaf] = leaves(element)
        self._numbers = count()
        self._lock = threading.Lock()
        self._running: dict[int, Iterator[Any]] = {}

    def begin(self, *args: Any) -> np.ndarray:
        """Begins, and gives the number of the generator."""
        iterator = iter(self._generator(*args))
        with self._lock:
            i = next(self._numbers)
            self._running[i] = iterator
        return np.array(i, np.int64)

    def following(self, i: Any) -> list[np.ndarray]:
        """The tensors of what the generator yields next.

        Raises:
            OutOfRangeError: it does not yield any more.
            ValueError: it is not an element of the dataset.
        """
        try:
            value = next(self._running[int(i)])
        except StopIteration:
            raise errors.OutOfRangeError(None, None, "the generator has ended") from None
        try:
            parts = upto(self._element, value)
        except (TypeError, ValueError):
            raise errors.InvalidArgumentError(
                None,
                None,
                "`generator` yielded an element that did not match the expected structure. The "
                f"expected structure was {self._dtypes()}, but the yielded element was {value!r}.",
            ) from None
        return [self._array(part, leaf) for part, leaf in zip(parts, self._leaves, strict=True)]

    def _dtypes(self) -> str:
        return ", ".join([leaf.dtype.name for leaf in self._leaves])

    def _array(self, value: Any, leaf: Leaf) -> np.ndarray:
        try:
            array, _ = constant_array(value, leaf.dtype)
        except (TypeError, ValueError) as error:
            raise errors.InvalidArgumentError(
                None,
                None,
                "`generator` yielded an element that could not be converted to the expected type. "
                f"The expected type was {leaf.dtype.name}, but the yielded element was {value!r}: "
                f"{error}",
            ) from None
        if not leaf.shape.is_compatible_with(array.shape):
            raise errors.InvalidArgumentError(
                None,
                None,
                f"`generator` yielded an element of shape {array.shape} where an element of shape "
                f"{leaf.shape} was expected.",
            )
        return array

    def end(self, i: Any) -> np.ndarray:
        """Ends a generator."""
        with self._lock:
            generator = self._running.pop(int(i), None)
        close = getattr(generator, "close", None)
        if close is not None:
            close()
        return np.array(0, np.int64)


def generated(generator: Callable[..., Any], element: Any, args: Any) -> Tensor:
    """The dataset of what a generator yields.

    Args:
        generator: a function that returns something to iterate over.
        element: what it yields.
        args: tensors whose values the function gets.
    """
    generators = _Generators(generator, element)
    passed = [convert_to_tensor(value) for value in (args or ())]
    number = Leaf(Tensor, int64, TensorShape([]))

    def begin() -> Any:
        graph = get_default_graph()
        arguments = [graph.as_graph_element(tensor) for tensor in passed]
        return _scalar(py_func(generators.begin, arguments, int64))

    def following(i: Any) -> Any:
        dtypes = [leaf.dtype for leaf in leaves(element)]
        tensors = py_func(generators.following, [i], dtypes)
        for tensor, leaf in zip(tensors, leaves(element), strict=True):
            tensor.set_shape(leaf.shape)
        return tuple(tensors)

    def end(i: Any) -> Any:
        return _scalar(py_func(generators.end, [i], int64))

    functions = {
        "init": built(begin, [], "from_generator"),
        "next": built(following, [number], "from_generator"),
        "finalize": built(end, [number], "from_generator"),
    }
    funcs: Any = {f"{name}_func": function.func for name, function in functions.items()}
    return GENERATOR_DATASET(
        *[function.captured for function in functions.values()], **funcs, **typed(element)
    )


def _scalar(tensor: Tensor) -> Tensor:
    tensor.set_shape([])
    return tensor


_NAMES = ("init", "next", "finalize")
GENERATOR_DATASET = dataset_op(
    "GeneratorDataset",
    ", ".join([f"{name}_func_other_args: T{name}_func_args" for name in _NAMES]),
    ", ".join(
        [
            *[f"{name}_func: func" for name in _NAMES],
            *[f"T{name}_func_args: list(type) >= 0" for name in _NAMES],
            NOTED,
        ]
    ),
    traits=Bodies(stateful=True),
)


class Generated(LeafSource):
    """Elements made by a function of a state, until it reports the end."""

    def __init__(self, calls: Sequence[Callable[[Element], Element]], what: Any) -> None:
        super().__init__(*what)
        self._calls = calls

    def begun(self) -> Elements:
        """All elements."""
        return _Generated(*self._calls)


class _Generated(Elements):
    def __init__(
        self,
        init: Callable[[Element], Element],
        following: Callable[[Element], Element],
        finalize: Callable[[Element], Element],
    ) -> None:
        self._init, self._following, self._finalize = init, following, finalize
        self._state: Element | None = None
        self._ended = False

    def next(self) -> Element | None:
        if self._ended:
            return None
        if self._state is None:
            self._state = self._init(())
        try:
            return self._following(self._state)
        except errors.OutOfRangeError:
            self._end(self._state)
            return None

    def _end(self, state: Element) -> None:
        self._ended = True
        with contextlib.suppress(Exception):  # there is no caller to raise it in
            self._finalize(state)

    # Not `weakref.finalize`: it would keep the function, which may lead back here by the session.
    def __del__(self) -> None:
        if self._state is not None and not self._ended and not sys.is_finalizing():
            self._end(self._state)


@GENERATOR_DATASET.kernel
def _generator_kernel(c: KernelContext) -> KernelSpec:
    init = DatasetFunction(c, "init_func", [], "init_func_other_args")
    state = [Known() for _ in init.dtypes()]
    rest = [
        DatasetFunction(c, f"{name}_func", state, f"{name}_func_other_args")
        for name in ("next", "finalize")
    ]
    functions, what = [init, *rest], stated(c)
    rest[0].check_returned(what[0])
    for function in rest:
        function.check_dtypes(init.dtypes())
    numbers = [len(c.inputs(f"{name}_func_other_args")) for name in _NAMES]

    def generate(*captured: Array) -> Array:
        left = list(captured)
        calls = []
        for function, number in zip(functions, numbers, strict=True):
            calls.append(function.calls(left[:number]))
            del left[:number]
        return Generated(calls, what).handle

    bodies = {name: function.run for name, function in zip(_NAMES, functions, strict=True)}
    return KernelSpec(generate, bodies=bodies)
