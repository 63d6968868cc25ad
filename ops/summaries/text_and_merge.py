"""Summaries of tensors and texts, and merged summaries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from google.protobuf.json_format import Parse, ParseError
from google.protobuf.message import DecodeError

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_graph import get_default_graph
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...graph.scopes.collections import GraphKeys
from ...protos.dtypes import string
from ...protos.messages import Summary, SummaryDescription, SummaryMetadata
from ...protos.tensor_codec import encode_tensor
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import SUMMARY
from .summary_messages import serialized, text_of
from .summary_scopes import collected, summary_scope

public = {"td.summary": "get_summary_description merge merge_all tensor_summary text"}

TENSOR_SUMMARY = OpDef(
    "TensorSummary",
    "tensor: T -> summary: string",
    "T: type, description: string = '', labels: list(string) = [], display_name: string = ''",
    traits=SUMMARY,
)
TENSOR_SUMMARY_V2 = OpDef(
    "TensorSummaryV2",
    "tag: string, tensor: T, serialized_summary_metadata: string -> summary: string",
    "T: type",
    traits=SUMMARY,
)
MERGE_SUMMARY = OpDef(
    "MergeSummary", "inputs: N * string -> summary: string", "N: int >= 1", traits=SUMMARY
)


@TENSOR_SUMMARY.shape
@MERGE_SUMMARY.shape
def _any_inputs_shape(c: ShapeContext) -> TensorShape:
    return TensorShape([])


@TENSOR_SUMMARY_V2.shape
def _tensor_summary_shape(c: ShapeContext) -> TensorShape:
    c.shape("tag", rank=0)
    c.shape("serialized_summary_metadata", rank=0)
    return TensorShape([])


@TENSOR_SUMMARY.kernel
def _tensor_summary_kernel(c: KernelContext) -> Kernel:
    name = c.node.name
    dtype = c.attr("T")

    def tensor_summary(tensor: Array) -> Array:
        value = Summary.Value(node_name=name, tensor=encode_tensor(tensor, dtype))
        return serialized(Summary(value=[value]))

    return tensor_summary


@TENSOR_SUMMARY_V2.kernel
def _tensor_summary_v2_kernel(c: KernelContext) -> Kernel:
    dtype = c.attr("T")

    def tensor_summary(tag: Array, tensor: Array, metadata: Array) -> Array:
        if metadata.ndim:
            raise ValueError(
                f"serialized_summary_metadata must have rank 0, got {list(metadata.shape)}"
            )
        try:
            message = SummaryMetadata.FromString(metadata.item())
        except DecodeError as error:
            raise ValueError("serialized_summary_metadata is not a SummaryMetadata") from error
        value = Summary.Value(
            tag=text_of("tag", tag), tensor=encode_tensor(tensor, dtype), metadata=message
        )
        return serialized(Summary(value=[value]))

    return tensor_summary


@MERGE_SUMMARY.kernel
def _merge_summary_kernel(c: KernelContext) -> Kernel:
    def merge_summary(*inputs: Array) -> Array:
        result = Summary()
        tags = set()
        for number, array in enumerate(inputs):
            for data in array.ravel().tolist():
                try:
                    summary = Summary.FromString(data)
                except DecodeError as error:
                    raise ValueError(f"inputs[{number}] does not hold a Summary") from error
                for value in summary.value:
                    if value.tag and value.tag in tags:
                        raise ValueError(f"the tag {value.tag!r} is in more than one of the inputs")
                    tags.add(value.tag)
                result.MergeFrom(summary)
        return serialized(result)

    return merge_summary


def merge(
    inputs: Sequence[Any], collections: Iterable[str] | None = None, name: str | None = None
) -> Tensor:
    """Puts summaries together into one.

    Args:
        inputs: string Tensors: serialized summaries, of which no two may have a tag in common.
        collections: the collections that list the result; by default none.
        name: a name for the scope of the op.

    Returns:
        A string Tensor of rank 0.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     both = td.summary.merge([td.summary.scalar("a", 1), td.summary.scalar("b", 2)])
        ...     [value.tag for value in td.Summary.FromString(session.run(both)).value]
        ['a', 'b']
    """
    summaries = list(inputs)
    with name_scope(name, "Merge", summaries):
        return collected(MERGE_SUMMARY(summaries), collections or ())


def merge_all(
    key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None
) -> Tensor | None:
    """Puts all summaries of the default graph together into one.

    Args:
        key: the collection that lists them.
        scope: only those whose name begins with this regular expression.
        name: a name for the scope of the op.

    Returns:
        A string Tensor of rank 0; None where there are no summaries.

    Example:
        >>> with td.Graph().as_default():
        ...     _ = td.summary.scalar("loss", 0.5)
        ...     td.summary.merge_all()
        <td.Tensor 'Merge/MergeSummary:0' shape=() dtype=string>
    """
    tensors = get_default_graph().get_collection(key, scope)
    return merge(tensors, name=name) if tensors else None


def tensor_summary(
    name: str,
    tensor: TensorLike,
    summary_description: str | None = None,
    collections: Iterable[str] | None = None,
    summary_metadata: SummaryMetadata | None = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Tensor:
    """A summary of a whole tensor, for plugins of TensorBoard.

    Args:
        name: the name and tag, as for `td.summary.scalar`.
        tensor: a tensor of any dtype and shape.
        summary_description: what TensorBoard says about it.
        collections: the collections that list the summary; by default the one of summaries.
        summary_metadata: for which plugin it is.
        family: a first part of the tag.
        display_name: what TensorBoard calls it.

    Returns:
        A string Tensor of rank 0.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     whole = td.summary.tensor_summary("whole", [1, 2])
        ...     value = td.Summary.FromString(session.run(whole)).value[0]
        ...     td.make_ndarray(value.tensor).tolist()
        [1, 2]
    """
    metadata = SummaryMetadata()
    if summary_metadata is not None:
        metadata.CopyFrom(summary_metadata)
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    with summary_scope(name, family, [tensor]) as (tag, scope):
        summary = TENSOR_SUMMARY_V2(
            tag, tensor, metadata.SerializeToString(deterministic=True), name=scope
        )
        return collected(summary, collections)


def text(name: str, tensor: TensorLike, collections: Iterable[str] | None = None) -> Tensor:
    """A summary of texts, which TensorBoard shows as Markdown.

    Args:
        name: the name and tag, as for `td.summary.scalar`.
        tensor: strings: one, a list, or a matrix that is shown as a table.
        collections: the collections that list the summary; by default the one of summaries.

    Returns:
        A string Tensor of rank 0.

    Raises:
        ValueError: they are not strings.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     note = td.summary.text("note", "it *works*")
        ...     td.Summary.FromString(session.run(note)).value[0].metadata.plugin_data.plugin_name
        'text'
    """
    texts = convert_to_tensor(tensor)
    if texts.dtype.base_dtype is not string:
        raise ValueError(f"a text summary needs strings, got {texts.dtype.name}")
    metadata = SummaryMetadata(plugin_data={"plugin_name": "text"})
    return tensor_summary(name, texts, collections=collections, summary_metadata=metadata)


def get_summary_description(node_def: Any) -> SummaryDescription:
    """Description of a TensorSummary op.

    Args:
        node_def: the NodeDef of the op.

    Returns:
        A SummaryDescription, read from the JSON in the attr `description`.

    Raises:
        ValueError: the node is of another op type, or its description is not such JSON.

    Example:
        >>> with td.Graph().as_default():
        ...     op = td.raw_ops.TensorSummary(tensor=1, description='{"typeHint": "scalar"}').op
        >>> td.summary.get_summary_description(op.node_def).type_hint
        'scalar'
    """
    if node_def.op != TENSOR_SUMMARY.name:
        raise ValueError(f"only TensorSummary ops have a description, got one of {node_def.op}")
    description = node_def.attr["description"].s.decode()
    try:
        return Parse(description, SummaryDescription())
    except ParseError as error:
        raise ValueError(f"invalid SummaryDescription {description!r}") from error
