"""Results that may be larger than all inputs: their size is looked at before there is memory."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from typing import Any

from ...graph.node import Operation, Tensor
from ...protos.config import config
from ...runtime import errors
from ...runtime.kernel_spec import KernelSpec
from ...shape_inference.inference import Inference
from ...shape_inference.protocols import Array
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Elementwise

_MOST_VALUES = 64  # of a vector of sizes, or a number


def check_bytes(shape: Sequence[int], itemsize: int) -> None:
    """Checks that an array may be made.

    Raises:
        ResourceExhaustedError: it would be larger than `td.config.max_tensor_bytes`.
    """
    size = math.prod(shape) * itemsize
    if size > config.max_tensor_bytes:
        raise errors.ResourceExhaustedError(
            None,
            None,
            f"a result of shape {list(shape)} and {itemsize} bytes an element takes {size} bytes, "
            f"more than td.config.max_tensor_bytes = {config.max_tensor_bytes}",
        )


def with_limit(op: Operation, kernel: KernelSpec, inference: Inference) -> KernelSpec:
    """The kernel, which refuses inputs that broadcast or multiply to more than a tensor may be.

    Kernels that read sizes from values check these themselves. One whose results are no larger than
    an input, by static shapes, is left as it is.
    """
    traits = op.definition.traits
    grows = traits.grows or isinstance(traits, Elementwise) or traits.products
    if not grows or not (traits.grows or _combines(op)) or not _may_be_large(op, inference):
        return kernel
    itemsize = max(map(_itemsize, op.outputs), default=1)
    power = 2 if len(op.inputs) == 1 else 1  # such as the whole matrices of a decomposition

    def limited(run: Callable[..., Any]) -> Callable[..., Any]:
        def checked(*arrays: Array) -> Any:
            most = itemsize
            for array in arrays:
                for size in array.shape:
                    most *= size or 1
            if most**power > config.max_tensor_bytes:
                _check_results(op, arrays)
            return run(*arrays)

        return checked

    overwriting = kernel.overwriting
    fusion = replace(kernel.fusion, block=kernel.block)
    kernel = replace(kernel, call=limited(kernel.call), fusion=fusion)
    if overwriting is None:
        return kernel

    def limited_overwriting(spare: Container[int]) -> Callable[..., Any]:
        return limited(overwriting(spare))

    return replace(kernel, overwriting=limited_overwriting)


def _combines(op: Operation) -> bool:
    """Returns whether an op has several inputs, or one of smaller elements than its result."""
    return len(op.inputs) > 1 or any(
        _itemsize(x) < _itemsize(y) for x in op.inputs for y in op.outputs
    )


def _itemsize(tensor: Tensor) -> int:
    """Bytes of an element; those of a string are counted where they are made."""
    return tensor.dtype.numpy_dtype.itemsize if tensor.dtype.is_numpy_compatible else 1


def _may_be_large(op: Operation, inference: Inference) -> bool:
    given = [(inference.shape(tensor).sizes, _itemsize(tensor)) for tensor in op.inputs]
    for tensor in op.outputs:
        sizes = inference.shape(tensor).sizes
        if sizes is None:
            return True
        if sizes in given:
            continue  # as many elements as that input has
        known = [size for size in sizes if isinstance(size, int)]
        if len(known) == len(sizes):
            if math.prod(known) * _itemsize(tensor) > config.max_tensor_bytes:
                return True
        elif not any(
            shape is not None and size >= _itemsize(tensor) and _is_no_larger(sizes, shape)
            for shape, size in given
        ):
            return True
    return False


def _is_no_larger(sizes: Sequence[Any], than: Sequence[Any]) -> bool:
    """Returns whether a result has at most as many elements as an input with its unknown sizes."""
    unknown = Counter(size for size in sizes if not isinstance(size, int))
    there = Counter(size for size in than if not isinstance(size, int))
    if None in unknown or unknown - there or there - unknown:
        return False
    known, most = ([n for n in shape if isinstance(n, int)] for shape in (sizes, than))
    return math.prod(known) <= math.prod(most)


def _check_results(op: Operation, arrays: Sequence[Array]) -> None:
    """Checks the results of an op on arrays by its own shape function."""
    if len(arrays) != len(op.inputs):
        return
    inference = Inference()
    for tensor, array in zip(op.inputs, arrays, strict=True):
        may_be_sizes = array.ndim <= 1 and array.size <= _MOST_VALUES and array.dtype.kind == "i"
        inference.declare(tensor, TensorShape(array.shape), array if may_be_sizes else None)
    try:
        inference.infer(op)
    except ValueError:
        return  # the kernel will say what is wrong
    for tensor in op.outputs:
        sizes = inference.shape(tensor).sizes
        if sizes is not None:
            check_bytes([size for size in sizes if isinstance(size, int)], _itemsize(tensor))
