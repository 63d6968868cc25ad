"""Names of `tensorflow.python.ops.rnn_cell_impl` that are not public anywhere."""

from __future__ import annotations

from typing import Any

from ...graph.constant_value import constant_value
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...ops.array.concat import concat
from ...ops.array.ranges import range as arange
from ...ops.array.reshape import reshape
from ...ops.array.shapes import rank as rank_of, shape
from ...ops.array.transpose import transpose
from ...ops.common.structures import flat
from ...ops.initializers.initializers import Constant, Zeros
from ...ops.linalg.matmul import matmul
from ...ops.nn.activations import bias_add
from ...ops.variable_scopes.get_variable import get_variable
from ...ops.variable_scopes.variable_scope import get_variable_scope, variable_scope
from ...ops.variables.variable import Variable
from ...protos.dtypes import int32
from ...shape_inference.tensor_shape import TensorShape
from ...training.rnn.rnn_cell import known_size, zeros_of

_BIAS_VARIABLE_NAME, _WEIGHTS_VARIABLE_NAME = "bias", "kernel"


class _Linear:
    """Multiplies concatenated tensors by a new variable `kernel`, and adds a variable `bias`.

    Args:
        args: a tensor `[batch, size]`, or a list of them, as in later calls.
        output_size: the size of the result.
        build_bias: whether there is a bias.
        bias_initializer: of the bias; by default zeros.
        kernel_initializer: of the kernel; by default that of the scope in force.
    """

    def __init__(
        self,
        args: Any,
        output_size: int,
        build_bias: bool,
        bias_initializer: Any = None,
        kernel_initializer: Any = None,
    ) -> None:
        tensors = flat(args)
        dtype = tensors[0].dtype.base_dtype
        size = sum(known_size(tensor.shape) for tensor in tensors)
        with variable_scope(get_variable_scope()):
            self._kernel: Variable = get_variable(
                "kernel", [size, output_size], dtype, initializer=kernel_initializer
            )
            self._bias: Variable | None = None
            if build_bias:
                initializer = bias_initializer or Zeros()
                self._bias = get_variable("bias", [output_size], dtype, initializer=initializer)

    def __call__(self, args: Any) -> Any:
        tensors = flat(args)
        with name_scope(None, "linear", tensors):
            joined = tensors[0] if len(tensors) == 1 else concat(tensors, 1)
            product = matmul(joined, self._kernel.value())
            return product if self._bias is None else bias_add(product, self._bias.value())


def _linear(
    args: Any,
    output_size: int,
    bias: bool,
    bias_initializer: Any = None,
    kernel_initializer: Any = None,
    scope: Any = None,
    **older: Any,
) -> Any:
    """Tensors joined, times the variable `kernel` of the scope in force, plus its `bias`.

    Args:
        args: a tensor `[batch, size]`, or a list of them.
        output_size: the size of the result.
        bias: whether there is a bias.
        bias_initializer: of the bias; by default zeros, or `bias_start` of older calls.
        kernel_initializer: of the kernel.
        scope: a scope for the variables; by default that in force.
    """
    if isinstance(bias_initializer, float):  # older calls pass the initial bias here
        older["bias_start"], bias_initializer = bias_initializer, None
    if "bias_start" in older and bias_initializer is None:
        bias_initializer = Constant(older["bias_start"])
    with variable_scope(scope or get_variable_scope()):
        return _Linear(args, output_size, bias, bias_initializer, kernel_initializer)(args)


def _transpose_batch_time(x: Any) -> Any:
    """A tensor with its first two dimensions exchanged; a vector or a number as it is."""
    tensor = convert_to_tensor(x)
    rank = tensor.shape.ndims
    if rank is not None:
        return tensor if rank < 2 else transpose(tensor, [1, 0, *range(2, rank)])
    exchanged = transpose(tensor, concat([[1, 0], arange(2, rank_of(tensor))], 0))
    exchanged.set_shape(tensor.shape)
    return exchanged


def _concat(prefix: Any, suffix: Any, static: bool = False) -> Any:
    """Concatenates two shapes.

    Args:
        prefix: a size, a shape, or a tensor of it.
        suffix: a size, a shape, or a tensor of it.
        static: whether to return a list of sizes, with None for unknown ones.
    """
    parts = [_sizes(part) for part in (prefix, suffix)]
    if static:
        return [size for part in parts for size in part.as_list()]
    if all(isinstance(part, TensorShape) and part.is_fully_defined() for part in parts):
        return convert_to_tensor([size for part in parts for size in part.as_list()], int32)
    tensors: list[Any] = [
        part.as_list() if isinstance(part, TensorShape) else part for part in parts
    ]
    return concat([reshape(tensor, [-1]) for tensor in tensors], 0)


def _sizes(part: Any) -> Any:
    """Converts sizes to a static shape, or a tensor of sizes to a tensor."""
    if isinstance(part, Tensor):
        static_value = constant_value(part)
        if static_value is None:
            return part
        part = static_value.tolist()
    return TensorShape(part if isinstance(part, (list, tuple, TensorShape)) else [part])


def _like_rnncell(cell: Any) -> bool:
    """True if an object has the attributes of a cell."""
    return callable(cell) and all(
        hasattr(cell, name) for name in ("output_size", "state_size", "zero_state")
    )


def _zero_state_tensors(state_size: Any, batch_size: Any, dtype: Any) -> Any:
    """Zeros in the structure of the sizes of states."""
    return zeros_of(state_size, batch_size, dtype)


def best_effort_input_batch_size(flat_input: Any) -> Any:
    """The batch size of inputs `[time, batch, ...]`: a number if it is static in one of them."""
    for tensor in flat_input:
        if tensor.shape.rank and tensor.shape.rank > 1 and tensor.shape.as_list()[1] is not None:
            return tensor.shape.as_list()[1]
    return shape(flat_input[0])[1]


transpose_batch_time = _transpose_batch_time
