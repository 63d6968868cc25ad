"""A graph file as the commands see it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..graph.files.model_files import read_model
from ..graph.node import Operation
from ..graph.surface.shown_graph import results
from ..saved_models.loaded_model import INPUT_TYPES
from ..saved_models.loading import model_of
from .progress import ShownProgress
from .text import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from ..graph.node import Tensor

FILE_HELP = "a graph (.pb, .pbtxt), the .meta of a checkpoint, or a SavedModel or its folder"


def add_file_argument(parser: ArgumentParser, metavar: str = "FILE") -> None:
    """Adds the file that a command takes."""
    parser.add_argument("file", metavar=metavar, help=FILE_HELP)


class GraphFile:
    """A graph file; ops that are not supported are in its graph, too.

    If it takes long to load and stderr is a terminal, that shows how far it has come.

    Args:
        path: the file or folder; its content tells of what kind it is.

    Raises:
        OpError, OSError: it cannot be read, or holds no graph.
        ValueError: a node is malformed, or does not fit its inputs.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        with ShownProgress(path) as progress:
            file = read_model(path, progress=progress)
            self.model = model_of(file, progress)
        graph_def = file.graph_def
        self.graph = self.model.graph
        self.version = graph_def.versions.producer
        self.functions = [function.signature.name for function in graph_def.library.function]
        self.ops = self.graph.get_operations()
        for op in self.ops:
            op.site = None  # it would be a line of ours, which says nothing about the op

    def inputs(self) -> list[Operation]:
        """The ops that stand for what is fed."""
        return [op for op in self.ops if op.type in INPUT_TYPES]

    def outputs(self) -> list[Operation]:
        """The ops that nobody consumes, inputs aside; of a model with a signature, its outputs."""
        if self.model.main_signature is not None:
            named = self.model.main_signature.outputs.values()
            return list(dict.fromkeys(x if isinstance(x, Operation) else x.op for x in named))
        found = results(self.graph)
        if self.model.message is None:
            return found
        return [op for op in found if op.outputs]  # the others initialize, or train

    def unsupported(self) -> Counter[str]:
        """How many ops there are of each type that is not supported."""
        return Counter(op.type for op in self.ops if not is_supported(op))

    def element(self, name: str) -> Tensor | Operation:
        """The tensor or op called `name`, in the signature or in the graph.

        Raises:
            ValueError: there is none.
        """
        signature = self.model.main_signature
        for named in () if signature is None else (signature.inputs, signature.outputs):
            if name in named:
                return named[name]
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
