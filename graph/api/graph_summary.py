"""Default inputs and outputs of a graph, its summary, and copying by pickle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...runtime.suggestions import pluralize
from .graph_ends import graph_ends, tensors_of
from .late_imports import late_import

_MOST_SHOWN = 8


def graph_of_bytes(data: bytes) -> Any:
    """Unpickles a graph."""
    return late_import("graph from bytes")(data)


class ShownGraph:
    """The part of a graph that describes it."""

    if TYPE_CHECKING:

        def get_operations(self) -> Sequence[Any]: ...  # noqa: D102 - a graph has it

    @property
    def inputs(self) -> list[Any]:
        """The tensors that have to be fed: those of placeholders without a default.

        Example:
            >>> with td.Graph().as_default() as graph:
            ...     y = td.placeholder(td.float32, [None], name="x") + 1.0
            >>> graph.inputs
            [<td.Tensor 'x:0' shape=(?,) dtype=float32>]
        """
        return tensors_of(graph_ends(self).inputs)

    @property
    def outputs(self) -> list[Any]:
        """The tensors that are likely to be fetched: those that no op of the graph takes.

        That is without inputs, summaries, remains of control flow, and what serves variables.

        Example:
            >>> with td.Graph().as_default() as graph:
            ...     y = td.placeholder(td.float32, [None], name="x") + 1.0
            >>> graph.outputs
            [<td.Tensor 'add:0' shape=(?,) dtype=float32>]
        """
        return tensors_of(graph_ends(self).outputs)

    def summary(self) -> str:
        """Summary of the graph in a few lines: inputs, outputs and op types.

        Returns:
            The text that `print(graph)` also prints.

        Example:
            >>> with td.Graph().as_default() as graph:
            ...     y = td.placeholder(td.float32, [None, 3], name="x") + 1.0
            >>> print(graph.summary())
            graph of 3 ops
              inputs   x:0 float32 (?, 3)
              outputs  add:0 float32 (?, 3)
              ops      AddV2, Const, Placeholder
        """
        ops = self.get_operations()
        counts = Counter(op.type for op in ops).most_common()
        types = [name if number == 1 else f"{number} {name}" for name, number in counts]
        lines = [f"graph of {pluralize(len(ops), 'op')}"]
        for label, items in (
            ("inputs ", [_typed(tensor) for tensor in self.inputs]),
            ("outputs", [_typed(tensor) for tensor in self.outputs]),
            ("ops    ", [", ".join(_few(sorted(types, key=_name_last)))] if types else []),
        ):
            for i, text in enumerate(_few(items) or ["none"]):
                lines.append(f"  {label if i == 0 else ' ' * len(label)}  {text}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        parts = [f"<td.{type(self).__name__} of {pluralize(len(self.get_operations()), 'op')}"]
        for label, tensors in (("inputs", self.inputs), ("outputs", self.outputs)):
            names = _few([tensor.name for tensor in tensors], 3)
            parts += [f"{label} {', '.join(names)}"] if names else []
        return f"{'; '.join(parts)}>"

    def _repr_html_(self) -> str:
        """A small picture, for a notebook."""
        text: str = late_import("graph picture")(self)
        return text

    def __reduce__(self) -> Any:
        """Pickles and copies the graph as a MetaGraphDef, with its collections and its seed."""
        return graph_of_bytes, (late_import("graph to bytes")(self),)


def _typed(tensor: Any) -> str:
    return f"{tensor.name} {tensor.dtype.base_dtype.name} {tensor.shape}"


def _name_last(text: str) -> str:
    return text.rpartition(" ")[2]


def _few(items: list[str], most: int = _MOST_SHOWN) -> list[str]:
    return items if len(items) <= most else [*items[:most], f"and {len(items) - most} more"]
