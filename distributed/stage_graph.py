"""Serialized stages: the bytes of a GraphDef, and the names of feeds and fetches."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from ..graph.describe import describe_op
from ..graph.node import Operation
from ..graph.node_def import full_input, input_name, write_node_def
from ..ops.array.identity import IDENTITY_N
from ..ops.control_flow.function_defs import functions_of
from ..protos.attr_codec import encode_attr
from ..protos.messages import GraphDef, NodeDef
from ..shape_inference.inference import Inference
from ..shape_inference.split_parts import NotSplittable
from ..shape_inference.tensor_shape import TensorShape
from .python_functions import name_on_workers
from .stages import Read, Stage


class Program(NamedTuple):
    """A serialized stage: only bytes and names.

    Args:
        version: the version of the package that made it.
        key: identifies the program.
        graph_def: a serialized GraphDef.
        feeds: the names of the tensors that are fed, in order.
        fetches: the names of the fetched tensors.
        lines: descriptions of ops with their source lines, for error messages.
        functions: module and name of the functions that ops call, which workers import.
    """

    version: str
    key: str
    graph_def: bytes
    feeds: tuple[str, ...]
    fetches: tuple[str, ...]
    lines: tuple[tuple[str, str], ...] = ()
    functions: tuple[tuple[str, str], ...] = ()


def program_of(stage: Stage, inference: Inference, version: str) -> Program:
    """The program of a stage.

    Args:
        stage: the stage.
        inference: the inferred shapes of its tensors.
        version: the version of the package.

    Raises:
        ValueError: an op calls a function that workers cannot import.
    """
    message = GraphDef()
    taken = {op.name for op in stage.ops}
    names: dict[Read, str] = {}
    for read in stage.reads:
        name = names[read] = _free_name(f"part.{read.part.kind}.{len(names)}", taken)
        node = message.node.add(name=name, op="Placeholder")
        tensor = read.tensor
        node.attr["dtype"].CopyFrom(encode_attr(tensor.dtype.base_dtype, "type"))
        shape = encode_attr(_stated(read, inference), "shape")
        node.attr["shape"].CopyFrom(shape)
    inside = set(stage.ops)
    for op in stage.ops:
        node = message.node.add()
        read_here = stage.inputs(op)
        if op in stage.in_steps:
            _write_handing_on(op, node)
        else:
            write_node_def(op, node)
        del node.input[:]
        node.input.extend(names.get(read) or input_name(read.tensor) for read in read_here)
        node.input.extend(f"^{control.name}" for control in op.controls if control in inside)
    library = functions_of(stage.ops)
    if library:
        message.versions.CopyFrom(stage.ops[0].graph.versions)
        message.library.function.extend(library)
    data = message.SerializeToString(deterministic=True)
    fetches = tuple(full_input(input_name(tensor)) for tensor in stage.gives)
    feeds = tuple(f"{names[read]}:0" for read in stage.reads)
    digest = hashlib.blake2b(data, digest_size=16)
    functions = tuple(
        (op.name, _function(op)) for op in stage.ops if op.definition.traits.calls_python
    )
    digest.update(repr((feeds, fetches, functions)).encode())
    lines = tuple((op.name, describe_op(op)) for op in stage.ops if op.inputs)
    return Program(version, digest.hexdigest(), data, feeds, fetches, lines, functions)


def _function(op: Operation) -> str:
    try:
        return name_on_workers(op)
    except NotSplittable as why:
        raise ValueError(f"{describe_op(op)} cannot run on workers: {why}") from None


def _write_handing_on(op: Operation, node: NodeDef) -> None:
    """Writes the substitute of an op that others compute: it passes on their results."""
    node.name, node.op = op.name, IDENTITY_N.name
    types = [tensor.dtype.base_dtype for tensor in op.outputs]
    node.attr["T"].CopyFrom(encode_attr(types, "list(type)"))


def _free_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _stated(read: Read, inference: Inference) -> TensorShape:
    """The shape of a feed that holds in every chunk."""
    shape = inference.shape(read.tensor)
    if shape.sizes is None:
        return shape
    return TensorShape([size if isinstance(size, int) else None for size in shape.sizes])
