"""Python generators as datasets: ops that call them keep a place in each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np

from ...graph.convert import convert_to_tensor
from ...graph.default_graph import get_default_graph
from ...graph.node import Tensor
from ...protos.constant_array import constant_array
from ...protos.dtypes import int64
from ...runtime import errors
from ...shape_inference.tensor_shape import TensorShape
from ..debugging.py_func import py_func
from .element_functions import built
from .element_specs import Leaf, leaves, typed, upto
from .generating import GENERATOR_DATASET


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
        made = iter(self._generator(*args))
        with self._lock:
            i = next(self._numbers)
            self._running[i] = made
        return np.array(i, np.int64)

    def following(self, i: Any) -> list[np.ndarray]:
        """The tensors of what the generator yields next.

        Raises:
            OutOfRangeError: it does not yield any more.
            ValueError: it is no element of the dataset.
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
                f"expected structure was {self._told()}, but the yielded element was {value!r}.",
            ) from None
        return [self._array(part, leaf) for part, leaf in zip(parts, self._leaves, strict=True)]

    def _told(self) -> str:
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
        given = [graph.as_graph_element(tensor) for tensor in passed]
        return _scalar(py_func(generators.begin, given, int64))

    def following(i: Any) -> Any:
        dtypes = [leaf.dtype for leaf in leaves(element)]
        made = py_func(generators.following, [i], dtypes)
        for tensor, leaf in zip(made, leaves(element), strict=True):
            tensor.set_shape(leaf.shape)
        return tuple(made)

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
