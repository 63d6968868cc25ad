"""Of `tensorflow.python.ops.rnn_cell_impl` what is public nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph.default_scopes import name_scope
from ...modelling.rnn.rnn_cell import known_size
from ...ops.array.joining import concat
from ...ops.initializers.plain_initializers import Constant, Zeros
from ...ops.kit.structures import flat
from ...ops.linalg.matmul import matmul
from ...ops.nn.activations import bias_add
from ...ops.variable_scopes.get_variable import get_variable
from ...ops.variable_scopes.variable_scope import get_variable_scope, variable_scope

if TYPE_CHECKING:
    from ...ops.variables.variable import Variable


class _Linear:
    """Tensors joined, times a variable `kernel`, plus a variable `bias`; both made at once.

    Args:
        args: a tensor `[batch, size]`, or a list of them, as later calls give them.
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
    if isinstance(bias_initializer, float):  # older calls give the bias' first value here
        older["bias_start"], bias_initializer = bias_initializer, None
    if "bias_start" in older and bias_initializer is None:
        bias_initializer = Constant(older["bias_start"])
    with variable_scope(scope or get_variable_scope()):
        return _Linear(args, output_size, bias, bias_initializer, kernel_initializer)(args)
