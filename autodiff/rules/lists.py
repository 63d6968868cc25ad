"""Gradients of `ops/lists`: that of a list is a list, that of a TensorArray another TensorArray."""

from __future__ import annotations

from typing import Any

from ...graph.node import Operation, Tensor
from ...ops.array.constants import zeros_like
from ...ops.array.ranges import range as arange
from ...ops.lists.list_ops import (
    TENSOR_LIST_ELEMENT_SHAPE,
    TENSOR_LIST_GET_ITEM,
    TENSOR_LIST_LENGTH,
    TENSOR_LIST_POP_BACK,
    TENSOR_LIST_PUSH_BACK,
    TENSOR_LIST_RESIZE,
    TENSOR_LIST_SET_ITEM,
)
from ...ops.lists.list_tensors import (
    TENSOR_LIST_CONCAT_V2,
    TENSOR_LIST_FROM_TENSOR,
    TENSOR_LIST_GATHER,
    TENSOR_LIST_SCATTER_INTO,
    TENSOR_LIST_SPLIT,
    TENSOR_LIST_STACK,
)
from ...ops.math.segments import unsorted_segment_sum
from ..bodies.forward import through_identities
from ..bodies.gradient_graph import forward_flow
from ..common.rule_tables import gradient_of, not_differentiable, raw, raw_results, undefined
from ..common.static_facts import shape_of
from ..engine.list_items import ListItem
from ..engine.sources import gradient_source

_VERSIONS = ("", "V2", "V3")

not_differentiable("EmptyTensorList", "TensorListReserve")
not_differentiable(*(f"TensorArray{version}" for version in _VERSIONS))
not_differentiable("StackPush", "StackPushV2", "StackPopV2")  # they hold what gradients need
undefined(
    "TensorFlow has replaced it by TensorArrayGather and TensorArrayScatter, which have gradients",
    "TensorArrayPack",
    "TensorArrayUnpack",
)


# Lists -------------------------------------------------------------------------------------------


@gradient_of("TensorListPushBack")
def _push_back(op: Operation, gradient: Tensor) -> Any:
    item = op.inputs[1]
    dtype = op.get_attr("element_dtype")
    return list(TENSOR_LIST_POP_BACK(gradient, shape_of(item), element_dtype=dtype))


@gradient_of("TensorListPopBack")
def _pop_back(op: Operation, rest: Tensor | None, item: Tensor | None) -> Any:
    dtype = op.get_attr("element_dtype")
    if rest is None:
        shape = TENSOR_LIST_ELEMENT_SHAPE(op.outputs[0], shape_type="int32")
        number = TENSOR_LIST_LENGTH(op.outputs[0])
        rest = raw("TensorListReserve")(shape, number, element_dtype=dtype)
    if item is None:
        item = zeros_like(op.outputs[1])
    return TENSOR_LIST_PUSH_BACK(rest, item, element_dtype=dtype), None


@gradient_of("TensorListGetItem")
def _get_item(op: Operation, gradient: Tensor) -> Any:
    return ListItem(op.inputs[0], op.inputs[1], gradient), None, None


@gradient_of("TensorListSetItem")
def _set_item(op: Operation, gradient: Tensor) -> Any:
    handle, index, item = op.inputs
    dtype = op.get_attr("element_dtype")

    def of_list() -> Tensor:
        rest: Tensor = TENSOR_LIST_SET_ITEM(gradient, index, zeros_like(item), element_dtype=dtype)
        if op.get_attr("resize_if_index_out_of_bounds"):
            return TENSOR_LIST_RESIZE(rest, TENSOR_LIST_LENGTH(handle))
        return rest

    def of_item() -> Tensor:
        return TENSOR_LIST_GET_ITEM(gradient, index, shape_of(item), element_dtype=dtype)

    return of_list, None, of_item


@gradient_of("TensorListResize")
def _resize(op: Operation, gradient: Tensor) -> Any:
    return TENSOR_LIST_RESIZE(gradient, TENSOR_LIST_LENGTH(op.inputs[0])), None


@gradient_of("TensorListStack")
def _stack(op: Operation, gradient: Tensor) -> Any:
    return _rows_of(gradient), None


def _rows_of(tensor: Tensor) -> Tensor:
    """A list of the slices of a tensor."""
    sizes = shape_of(tensor)
    dtype = tensor.dtype.base_dtype
    return TENSOR_LIST_FROM_TENSOR(tensor, sizes[1:], element_dtype=dtype)


@gradient_of("TensorListFromTensor")
def _from_tensor(op: Operation, gradient: Tensor) -> Any:
    tensor = op.inputs[0]
    size = tensor.shape[0].value if tensor.shape.rank else None
    return TENSOR_LIST_STACK(
        gradient,
        shape_of(tensor)[1:],
        element_dtype=op.get_attr("element_dtype"),
        num_elements=-1 if size is None else size,
    ), None


@gradient_of("TensorListGather")
def _gather(op: Operation, gradient: Tensor) -> Any:
    handle, indices, _ = op.inputs
    number = TENSOR_LIST_LENGTH(handle)
    return _rows_of(unsorted_segment_sum(gradient, indices, number)), None, None


@gradient_of("TensorListScatter", "TensorListScatterV2")
def _scatter(op: Operation, gradient: Tensor) -> Any:
    tensor, indices, *others = op.inputs
    return _taken(op, gradient, tensor, indices), *(None for _ in (indices, *others))


def _taken(op: Operation, gradient: Tensor, tensor: Tensor, indices: Tensor) -> Tensor:
    dtype = op.get_attr("element_dtype")
    return TENSOR_LIST_GATHER(gradient, indices, shape_of(tensor)[1:], element_dtype=dtype)


@gradient_of("TensorListScatterIntoExistingList")
def _scatter_into(op: Operation, gradient: Tensor) -> Any:
    _, tensor, indices = op.inputs
    dtype = op.get_attr("element_dtype")
    return [
        lambda: TENSOR_LIST_SCATTER_INTO(
            gradient, zeros_like(tensor), indices, element_dtype=dtype
        ),
        lambda: _taken(op, gradient, tensor, indices),
        None,
    ]


@gradient_of("TensorListSplit")
def _split(op: Operation, gradient: Tensor) -> Any:
    tensor, shape, lengths = op.inputs
    dtype = op.get_attr("element_dtype")
    joined = TENSOR_LIST_CONCAT_V2(gradient, shape, lengths, element_dtype=dtype)[0]
    del tensor
    return joined, None, None


@gradient_of("TensorListConcat", "TensorListConcatV2")
def _concat(op: Operation, gradient: Tensor | None, lengths: None) -> Any:
    dtype = op.get_attr("element_dtype")
    shape = [-1, *op.outputs[0].shape.as_list()[1:]] if op.outputs[0].shape.rank else -1
    shape = [-1 if size is None else size for size in shape] if isinstance(shape, list) else shape
    parts = TENSOR_LIST_SPLIT(gradient, shape, op.outputs[1], element_dtype=dtype)
    return parts, *(None for _ in op.inputs[1:])


@gradient_of("TensorListConcatLists")
def _concat_lists(op: Operation, gradient: Tensor) -> Any:
    one, other = op.inputs
    dtype = op.get_attr("element_dtype")

    def second() -> Tensor:
        start = TENSOR_LIST_LENGTH(one)
        places = arange(start, start + TENSOR_LIST_LENGTH(other))
        shape = TENSOR_LIST_ELEMENT_SHAPE(other, shape_type="int32")
        return _rows_of(TENSOR_LIST_GATHER(gradient, places, shape, element_dtype=dtype))

    return [lambda: TENSOR_LIST_RESIZE(gradient, TENSOR_LIST_LENGTH(one)), second]


# TensorArrays ------------------------------------------------------------------------------------


def _gradients_of(op: Operation, version: str, flow: Tensor) -> tuple[Tensor, Tensor]:
    """The array of gradients beside that of an op, and its flow.

    That of an array of gradients stands beside the first array, too: TensorFlow knows no other.
    """
    handle, flow, source = through_identities(op.inputs[0]), forward_flow(flow), gradient_source()
    if handle.op.type == f"TensorArrayGrad{version}":
        source = f"{handle.op.get_attr('source').decode()}/{source}"
        handle = handle.op.inputs[0]
    grad = f"TensorArrayGrad{version}"
    if version == "V3":
        handle, flow = raw_results(grad)(handle, flow, source=source)
        return handle, flow
    return raw(grad)(handle, flow, source=source), flow


def _register(version: str) -> None:
    """The rules of the ops of one version; their facts are attached to the flows."""

    def read(op: Operation, gradient: Tensor) -> Any:
        array, flow = _gradients_of(op, version, op.inputs[2])
        return None, None, raw(f"TensorArrayWrite{version}")(array, op.inputs[1], gradient, flow)

    def write(op: Operation, flow: Tensor) -> Any:
        array, after = _gradients_of(op, version, flow)
        dtype = op.get_attr("T")
        item = raw(f"TensorArrayRead{version}")(array, op.inputs[1], after, dtype=dtype)
        return None, None, item, flow

    def gather(op: Operation, gradient: Tensor) -> Any:
        array, flow = _gradients_of(op, version, op.inputs[2])
        scatter = raw(f"TensorArrayScatter{version}")
        return None, None, scatter(array, op.inputs[1], gradient, flow)

    def scatter(op: Operation, flow: Tensor) -> Any:
        array, after = _gradients_of(op, version, flow)
        gather = raw(f"TensorArrayGather{version}")
        return None, None, gather(array, op.inputs[1], after, dtype=op.get_attr("T")), flow

    def concat(op: Operation, gradient: Tensor | None, lengths: None) -> Any:
        array, flow = _gradients_of(op, version, op.inputs[1])
        return None, raw(f"TensorArraySplit{version}")(array, gradient, op.outputs[1], flow)

    def split(op: Operation, flow: Tensor) -> Any:
        array, after = _gradients_of(op, version, flow)
        join = raw(f"TensorArrayConcat{version}")
        return None, join(array, after, dtype=op.get_attr("T"))[0], None, flow

    def grad(op: Operation, handle: None, flow: Tensor | None = None) -> Any:
        return None, flow, *(None for _ in op.inputs[2:])

    rules: dict[str, Any] = {"Read": read, "Write": write, "Gather": gather, "Scatter": scatter}
    rules.update({"Concat": concat, "Split": split, "Grad": grad})
    for name, rule in rules.items():
        gradient_of(f"TensorArray{name}{version}")(rule)


for _version in _VERSIONS:
    _register(_version)
gradient_of("TensorArrayGradWithShape")(
    lambda op, handle, flow: (None, flow, *(None for _ in op.inputs[2:]))
)
