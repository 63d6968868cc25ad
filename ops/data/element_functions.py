"""Conversion of functions of elements to functions of the graph's library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...graph.bodies import Body
from ...graph.default_graph import get_default_graph
from ...graph.node import Tensor
from ...protos.messages import NameAttrList
from ...shape_inference.handle_data import HandleData
from ...shape_inference.tensor_shape import TensorShape
from ..common.structures import flat
from ..control_flow.body_graph import BodyGraph
from ..control_flow.building import function_name
from .element_specs import element_of, from_wire, leaves, normalized, wire_tensors


class ElementFunction(NamedTuple):
    """A function of elements that was built.

    Args:
        body: the body, which is in the library of the graph.
        captured: the tensors that it takes from outside.
        element: what it returns.
    """

    body: Body
    captured: list[Tensor]
    element: Any

    @property
    def func(self) -> NameAttrList:
        """The function as an attr names it."""
        return NameAttrList(name=self.body.name)


def built(
    function: Callable[..., Any],
    elements: Sequence[Any],
    what: str,
    *,
    unpacks: bool = True,
    dtype: Any = None,
) -> ElementFunction:
    """A Python function as a function of the default graph's library.

    Args:
        function: the function.
        elements: what it takes: elements, each an argument; of the last, where it is a tuple, the
            parts are arguments each.
        what: what the function is to the dataset, for its name and for errors.
        unpacks: whether a tuple is given as several arguments.
        dtype: of results of the function that are not tensors.

    Raises:
        TypeError: `function` cannot be called, or returns nothing of which tensors are made.
    """
    if not callable(function):
        raise TypeError(f"{what} must be callable, got {function!r}")
    graph = get_default_graph()
    label = getattr(function, "__name__", type(function).__name__)
    inner = BodyGraph(graph, f"the function that is given to Dataset.{what}")
    with inner.as_default(), inner.name_scope(None):
        arguments: list[Any] = []
        number = 0
        for element in elements:
            tensors = []
            for leaf in leaves(element):
                tensor = inner.input(leaf.wire_dtype, leaf.wire_shape, f"args_{number}")
                if leaf.inner is not None:
                    parts = leaves(leaf.inner)
                    components = [HandleData(x.wire_dtype, x.wire_shape) for x in parts]
                    content = HandleData(components=tuple(components))
                    inner.inference.set_content(tensor, content)
                tensors.append(tensor)
                number += 1
            value = from_wire(element, tensors)
            arguments += value if unpacks and type(value) is tuple else [value]
        returned = function(*arguments)
        if returned is None:
            raise TypeError(f"the function that is given to Dataset.{what} returned None")
        result = normalized(tuple(returned) if isinstance(returned, list) else returned, dtype)
        spec = element_of(result)
        outputs = [inner.captured(tensor) for tensor in wire_tensors(spec, result)]
        captured = list(inner.captures)
        name = function_name(graph, f"Dataset_{what}_{label.strip('<>')}")
        body = inner.body(name, captured, outputs)
    return ElementFunction(body, captured, spec)


def single_tensor(function: ElementFunction, what: str) -> Tensor:
    """The only tensor that a function returns.

    Raises:
        ValueError: it returns something else.
    """
    outputs = list(function.body.outputs)
    if len(flat(function.element)) != 1:
        raise ValueError(f"{what} must return one tensor, got {function.element}")
    return outputs[0]


def with_outer_size(size: Any, shape: TensorShape) -> TensorShape:
    """The shape of so many rows of a shape."""
    return TensorShape([size]) + shape
