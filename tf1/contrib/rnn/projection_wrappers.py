"""Cells with words in place of their inputs, or with inputs or outputs projected."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ....graph.default_scopes import device
from ....ops.array.concat import concat
from ....ops.array.reshape import reshape
from ....ops.common.structures import flat
from ....ops.initializers.initializers import RandomUniform, Zeros
from ....ops.linalg.matmul import matmul
from ....ops.nn.activations import bias_add
from ....ops.nn.embeddings import embedding_lookup
from ....ops.variable_scopes.get_variable import get_variable
from ....ops.variable_scopes.variable_scope import get_variable_scope
from ....training.rnn.rnn_cell import RNNCell, known_size

public = {
    "td.contrib.rnn, td.nn.rnn_cell": (
        "EmbeddingWrapper InputProjectionWrapper OutputProjectionWrapper"
    ),
}


def linear(args: Any, output_size: int, bias: bool = True) -> Any:
    """Tensors joined, times the variable `kernel` of the scope in force, plus its `bias`.

    Args:
        args: a tensor `[batch, size]`, or a list of them.
        output_size: the size of the result.
        bias: whether there is a bias.
    """
    tensors = flat(args)
    joined = tensors[0] if len(tensors) == 1 else concat(tensors, 1)
    dtype = joined.dtype.base_dtype
    kernel = get_variable("kernel", [known_size(joined.shape), output_size], dtype)
    product = matmul(joined, kernel.value())
    if not bias:
        return product
    added = get_variable("bias", [output_size], dtype, initializer=Zeros())
    return bias_add(product, added.value())


class _Projecting(RNNCell):
    """A cell around another one, whose variables are in a scope of its own."""

    def __init__(self, cell: Any, reuse: bool | None = None) -> None:
        super().__init__(_reuse=reuse)
        self._cell = cell
        self.state_size, self.output_size = cell.state_size, cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The state of the cell inside that is all zeros."""
        return self._cell.zero_state(batch_size, dtype)


class EmbeddingWrapper(_Projecting):
    """A cell with embedded words as inputs.

    Args:
        cell: the cell.
        embedding_classes: the number of words.
        embedding_size: the size of word embeddings.
        initializer: of the table; by default that of the scope, or uniform numbers of variance 1.
        reuse: whether the variables of an earlier cell are taken.

    Raises:
        ValueError: a number is not positive.

    Example:
        >>> with td.Graph().as_default():
        ...     cell = td.contrib.rnn.EmbeddingWrapper(td.nn.rnn_cell.GRUCell(3), 9, 4)
        ...     y, _ = cell(td.constant([1, 2]), cell.zero_state(2, td.float32))
        ...     y.shape.as_list(), td.global_variables()[0].op.name
        ([2, 3], 'embedding_wrapper/embedding')
    """

    def __init__(
        self,
        cell: Any,
        embedding_classes: int,
        embedding_size: int,
        initializer: Any = None,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                "embedding_classes and embedding_size must be positive, got "
                f"{embedding_classes} and {embedding_size}"
            )
        self._shape = [embedding_classes, embedding_size]
        self._initializer = initializer

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The output and the next state."""
        (state,) = args
        with device("/cpu:0"):
            initializer = self._initializer or get_variable_scope().initializer
            if initializer is None:
                widest = math.sqrt(3)
                initializer = RandomUniform(-widest, widest)
            dtype = flat(state)[0].dtype.base_dtype
            table = get_variable("embedding", self._shape, dtype, initializer=initializer)
            embedded = embedding_lookup(table, reshape(inputs, [-1]))
        return self._cell(embedded, state)


class InputProjectionWrapper(_Projecting):
    """A cell with inputs projected to another size.

    Args:
        cell: the cell.
        num_proj: the size.
        activation: a function of the projection.
        input_size: accepted for TensorFlow's sake.
        reuse: whether the variables of an earlier cell are taken.

    Example:
        >>> with td.Graph().as_default():
        ...     cell = td.contrib.rnn.InputProjectionWrapper(td.nn.rnn_cell.GRUCell(3), 5)
        ...     _ = cell(td.ones([2, 4]), cell.zero_state(2, td.float32))
        ...     [v.op.name for v in td.global_variables()][0]
        'input_projection_wrapper/kernel'
    """

    def __init__(
        self,
        cell: Any,
        num_proj: int,
        activation: Callable[[Any], Any] | None = None,
        input_size: Any = None,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(cell, reuse)
        self._num_proj, self._activation = num_proj, activation

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The output and the next state."""
        (state,) = args
        projected = linear(inputs, self._num_proj)
        if self._activation is not None:
            projected = self._activation(projected)
        return self._cell(projected, state)


class OutputProjectionWrapper(_Projecting):
    """A cell with outputs projected to another size.

    Args:
        cell: the cell.
        output_size: the size.
        activation: a function of the projection.
        reuse: whether the variables of an earlier cell are taken.

    Raises:
        ValueError: `output_size` is not positive.

    Example:
        >>> with td.Graph().as_default():
        ...     cell = td.contrib.rnn.OutputProjectionWrapper(td.nn.rnn_cell.GRUCell(3), 5)
        ...     y, _ = cell(td.ones([2, 4]), cell.zero_state(2, td.float32))
        ...     y.shape.as_list(), [v.op.name for v in td.global_variables()][-1]
        ([2, 5], 'output_projection_wrapper/bias')
    """

    def __init__(
        self,
        cell: Any,
        output_size: int,
        activation: Callable[[Any], Any] | None = None,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(cell, reuse)
        if output_size < 1:
            raise ValueError(f"output_size must be positive, got {output_size}")
        self.output_size = output_size
        self._activation = activation

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The output and the next state."""
        (state,) = args
        output, state = self._cell(inputs, state)
        projected = linear(output, self.output_size)
        return projected if self._activation is None else self._activation(projected), state
