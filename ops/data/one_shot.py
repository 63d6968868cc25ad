"""Datasets as functions without arguments, for one-shot iterators: their ops are copied."""

from __future__ import annotations

from typing import Any

from ...graph.node import Operation, Tensor
from ...protos.dtypes import resource, variant
from ...protos.messages import NameAttrList
from ...shape_inference.traits import Input
from ..control_flow.body_graph import BodyGraph
from ..control_flow.building import function_name


def factory_of(dataset: Tensor) -> NameAttrList:
    """The function of the graph's library that makes a dataset again.

    Raises:
        ValueError: the dataset depends on a placeholder, or on what has state; files may be read.
    """
    graph = dataset.graph
    inner = BodyGraph(graph, "the dataset of a one-shot iterator")
    copies: dict[Tensor, Tensor] = {}
    with inner.as_default(), inner.name_scope(None):
        for op in _ops_behind(dataset):
            _check(op)
            inputs = [copies[tensor] for tensor in op.inputs]
            copy = inner.add(op.definition, inputs, dict(op.attrs), op.name)
            copies.update(zip(op.outputs, copy.outputs, strict=True))
        body = inner.body(function_name(graph, "_make_dataset"), [], [copies[dataset]])
    return NameAttrList(name=body.name)


def _ops_behind(dataset: Tensor) -> list[Operation]:
    """The ops that make values of a dataset; as in TensorFlow without those that it waits for."""
    behind: set[Operation] = set()
    pending = [dataset.op]
    while pending:
        op = pending.pop()
        if op not in behind:
            behind.add(op)
            pending += [tensor.op for tensor in op.inputs]
    return dataset.graph.in_order(behind)


def _check(op: Operation) -> None:
    what = ""
    if isinstance(op.definition.traits, Input):
        what = "a placeholder"
    elif not (op.definition.pure or op.definition.traits.reads_files or _makes_datasets(op)):
        what = "a stateful node"
    if what:
        raise ValueError(
            "Failed to create a one-shot iterator for a dataset. "
            "`Dataset.make_initializable_iterator()` is more general, as it may depend on what has "
            f"state: Cannot capture {what} (name:{op.name}, type:{op.type}) by value."
        )


def _makes_datasets(op: Operation) -> bool:
    """True if an op makes a dataset, or a resource that datasets share, and has no other state."""
    kinds: set[Any] = {tensor.dtype for tensor in op.outputs}
    makes = variant in kinds and kinds <= {variant, resource}
    return makes or op.type in ("DummySeedGenerator", "DummyMemoryCache")
