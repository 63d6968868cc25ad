"""A graph file as the commands see it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..graph.files.model_files import read_graph_def
from ..graph.importing.importer import import_whole
from .progress import ShownProgress
from .text import counted

if TYPE_CHECKING:
    from ..graph.node import Operation, Tensor

INPUT_TYPES = ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault")


class GraphFile:
    """A graph file; ops that are not supported are in its graph, too.

    If it takes long to load and stderr is a terminal, that shows how far it has come.

    Args:
        path: the file; text form if it ends in `.pbtxt`, else binary.

    Raises:
        OpError, OSError: it cannot be read, or is no GraphDef.
        ValueError: a node is malformed, or does not fit its inputs.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        with ShownProgress(path) as progress:
            graph_def, contents = read_graph_def(path, progress)
            self.graph = import_whole(graph_def, contents=contents, progress=progress)
        self.version = graph_def.versions.producer
        self.functions = [function.signature.name for function in graph_def.library.function]
        self.ops = self.graph.get_operations()
        for op in self.ops:
            op.site = None  # it would be a line of ours, which says nothing about the op

    def inputs(self) -> list[Operation]:
        """The ops that stand for what is fed."""
        return [op for op in self.ops if op.type in INPUT_TYPES]

    def outputs(self) -> list[Operation]:
        """The ops that nobody consumes, inputs aside."""
        consumed = {tensor.op for op in self.ops for tensor in op.inputs}
        consumed.update(control for op in self.ops for control in op.controls)
        return [op for op in self.ops if op not in consumed and op.type not in INPUT_TYPES]

    def unsupported(self) -> Counter[str]:
        """How many ops there are of each type that is not supported."""
        return Counter(op.type for op in self.ops if not is_supported(op))

    def element(self, name: str) -> Tensor | Operation:
        """The tensor or op called `name`.

        Raises:
            ValueError: there is none.
        """
        try:
            return self.graph.as_graph_element(name)
        except (KeyError, ValueError):
            op_name = name.partition(":")[0]
        op = next((op for op in self.ops if op.name == op_name), None)
        if op is None:
            raise ValueError(f"{self.path}: there is no op named {op_name!r}")
        results = counted(len(op.outputs), "result")
        raise ValueError(f"{self.path}: there is no tensor {name!r}; {op_name!r} has {results}")


def is_supported(op: Operation) -> bool:
    """Whether `op` can be run."""
    return op.definition.kernel_factory is not None
