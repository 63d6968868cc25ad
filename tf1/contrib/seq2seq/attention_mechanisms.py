"""Attention: how much each step of a memory matters to a query."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ....graph.convert import convert_to_tensor
from ....graph.default_scopes import name_scope
from ....ops.array.constants import zeros
from ....ops.array.reshape import expand_dims, squeeze
from ....ops.array.shapes import shape
from ....ops.common.structures import flat, packed
from ....ops.indexing.masks import sequence_mask
from ....ops.initializers.initializers import Constant, Ones, Zeros
from ....ops.linalg.matmul import matmul
from ....ops.math.arithmetic import square
from ....ops.math.exponentials import rsqrt
from ....ops.math.reductions import reduce_sum
from ....ops.math.trigonometry import tanh
from ....ops.math.where import where_v2
from ....ops.nn.activations import softmax
from ....ops.variable_scopes.get_variable import get_variable
from ....ops.variable_scopes.variable_scope import variable_scope
from ....training.layers.core import Dense

public = {
    "td.contrib.seq2seq": "AttentionMechanism BahdanauAttention LuongAttention",
}


class AttentionMechanism:
    """Base class of mechanisms that compute attention weights of a memory for a query.

    A mechanism of your own is a subclass with `scored`.

    Args:
        memory: the memory to attend to, `[batch, steps, …]`; steps after the end of a row count as
            zeros.
        memory_sequence_length: number of steps of each row, an int vector; later steps get no
            attention.
        query_layer: a layer applied to queries, or None.
        memory_layer: a layer that computes keys from the memory, or None.
        probability_fn: from scores `[batch, steps]` to shares; by default `td.nn.softmax`.
        score_mask_value: the score of steps after the end of a row; by default minus infinity.
        custom_key_value_fn: from keys and values to those that are taken instead.
        name: a name for the scope of the ops.

    Example:
        >>> with td.Graph().as_default():
        ...     attention = td.contrib.seq2seq.LuongAttention(4, td.ones([2, 7, 5]))
        ...     isinstance(attention, td.contrib.seq2seq.AttentionMechanism)
        True
    """

    # The scope of the variables.
    scope_name = "attention"

    def __init__(
        self,
        memory: Any,
        memory_sequence_length: Any = None,
        query_layer: Any = None,
        memory_layer: Any = None,
        probability_fn: Callable[[Any], Any] | None = None,
        score_mask_value: Any = None,
        custom_key_value_fn: Callable[[Any, Any], Any] | None = None,
        name: str | None = None,
    ) -> None:
        self._probability_fn = probability_fn or softmax
        self._mask_value = score_mask_value
        with name_scope(name, "BaseAttentionMechanismInit"):
            leaves = [convert_to_tensor(leaf) for leaf in flat(memory)]
            first = leaves[0]
            self._present = None
            if memory_sequence_length is not None:
                lengths = convert_to_tensor(memory_sequence_length)
                self._present = sequence_mask(lengths, shape(first)[1])
                leaves = [_without(leaf, self._present) for leaf in leaves]
            self._values = packed(memory, leaves)
            self._query_layer, self._memory_layer = query_layer, memory_layer
            self._keys = leaves[0] if memory_layer is None else memory_layer(leaves[0])
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            batch, steps = self._keys.shape.with_rank_at_least(2).as_list()[:2]
            sizes = shape(self._keys)
            self._batch_size = sizes[0] if batch is None else batch
            self._alignments_size = sizes[1] if steps is None else steps

    @property
    def query_layer(self) -> Any:
        """The layer applied to queries, or None."""
        return self._query_layer

    @property
    def memory_layer(self) -> Any:
        """The layer that computes keys, or None."""
        return self._memory_layer

    @property
    def values(self) -> Any:
        """The memory, with zeros after the end of each row."""
        return self._values

    @property
    def keys(self) -> Any:
        """The keys that queries are compared with, `[batch, steps, …]`."""
        return self._keys

    @property
    def batch_size(self) -> Any:
        """The size of the batch, a number where it is known."""
        return self._batch_size

    @property
    def alignments_size(self) -> Any:
        """The number of steps of the memory, a number where it is known."""
        return self._alignments_size

    state_size = alignments_size

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """The shares before the first step, `[batch, steps]`."""
        return zeros([batch_size, self._alignments_size], dtype)

    def initial_state(self, batch_size: Any, dtype: Any) -> Any:
        """The state before the first step."""
        return self.initial_alignments(batch_size, dtype)

    def scored(self, query: Any) -> Any:
        """Scores of a query for each step, `[batch, steps]`; to be overridden."""
        raise NotImplementedError(f"{type(self).__name__} has no scored")

    def shares(self, scores: Any, state: Any) -> Any:
        """The shares of attention.

        Args:
            scores: `[batch, steps]`.
            state: the shares of the step before.
        """
        return self._probability_fn(scores)

    def __call__(self, query: Any, state: Any = None, previous_alignments: Any = None) -> Any:
        """The shares of attention for a query, and the next state.

        Args:
            query: `[batch, size]`.
            state: the state.
            previous_alignments: the state, under its older name.
        """
        with variable_scope(None, self.scope_name, [query]):
            scores = self.scored(query)
        if self._present is not None:
            least = -math.inf if self._mask_value is None else self._mask_value
            lowest = convert_to_tensor(least, scores.dtype.base_dtype)
            scores = where_v2(self._present, scores, lowest)
        alignments = self.shares(scores, previous_alignments if state is None else state)
        return alignments, alignments

    def _queried(self, query: Any) -> Any:
        return query if self._query_layer is None else self._query_layer(query)


def _without(tensor: Any, present: Any) -> Any:
    """The tensor with zeros where nothing is present."""
    for _ in range(tensor.shape.with_rank_at_least(2).rank - 2):
        present = expand_dims(present, -1)
    return where_v2(present, tensor, convert_to_tensor(0, tensor.dtype.base_dtype))


class BahdanauAttention(AttentionMechanism):
    """Attention that adds keys and query: `reduce_sum(v * tanh(keys + query))`.

    Source: Bahdanau, Cho, Bengio, "Neural Machine Translation by Jointly Learning to Align and
    Translate" (2014); normalized, Salimans, Kingma, "Weight Normalization" (2016).

    Args:
        num_units: the size of keys and queries.
        memory: as for `AttentionMechanism`, like all arguments not listed here.
        memory_sequence_length: as there.
        normalize: whether `v` is normalized, with a length of its own.
        probability_fn: as there.
        score_mask_value: as there.
        dtype: the dtype of the layers of memory and query; by default float32.
        custom_key_value_fn: as there.
        name: as there.

    Example:
        >>> with td.Graph().as_default():
        ...     attention = td.contrib.seq2seq.BahdanauAttention(4, td.ones([2, 7, 5]))
        ...     shares, _ = attention(td.ones([2, 3]), attention.initial_state(2, td.float32))
        ...     shares.shape.as_list(), [v.op.name for v in td.global_variables()][-1]
        ([2, 7], 'bahdanau_attention/attention_v')
    """

    scope_name = "bahdanau_attention"

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        probability_fn: Callable[[Any], Any] | None = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        custom_key_value_fn: Callable[[Any, Any], Any] | None = None,
        name: str = "BahdanauAttention",
    ) -> None:
        super().__init__(
            memory,
            memory_sequence_length,
            Dense(num_units, name="query_layer", use_bias=False, dtype=dtype or "float32"),
            Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype or "float32"),
            probability_fn,
            score_mask_value,
            custom_key_value_fn,
            name,
        )
        self._num_units, self._normalize = num_units, normalize

    def scored(self, query: Any) -> Any:
        """Scores of a query for each step, `[batch, steps]`."""
        query, keys, units = self._queried(query), self._keys, self._num_units
        dtype = query.dtype.base_dtype
        v = get_variable("attention_v", [units], dtype)
        sums = keys + expand_dims(query, 1)
        if not self._normalize:
            return reduce_sum(v * tanh(sums), [2])
        length = Constant(math.sqrt(1 / units))
        g = get_variable("attention_g", [], dtype, initializer=length)
        b = get_variable("attention_b", [units], dtype, initializer=Zeros())
        return reduce_sum(g * v * rsqrt(reduce_sum(square(v))) * tanh(sums + b), [2])


class LuongAttention(AttentionMechanism):
    """Attention that multiplies keys and query.

    Source: Luong, Pham, Manning, "Effective Approaches to Attention-based Neural Machine
    Translation" (2015).

    Args:
        num_units: the size of the keys, which is that of the queries.
        memory: as for `AttentionMechanism`, like all arguments not listed here.
        memory_sequence_length: as there.
        scale: whether scores are scaled, by a variable.
        probability_fn: as there.
        score_mask_value: as there.
        dtype: the dtype of the layer of the memory; by default float32.
        custom_key_value_fn: as there.
        name: as there.

    Raises:
        ValueError: at a call, the query is of another size.

    Example:
        >>> with td.Graph().as_default():
        ...     attention = td.contrib.seq2seq.LuongAttention(3, td.ones([2, 7, 5]))
        ...     shares, _ = attention(td.ones([2, 3]), attention.initial_state(2, td.float32))
        ...     shares.shape.as_list()
        [2, 7]
    """

    scope_name = "luong_attention"

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        probability_fn: Callable[[Any], Any] | None = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        custom_key_value_fn: Callable[[Any, Any], Any] | None = None,
        name: str = "LuongAttention",
    ) -> None:
        super().__init__(
            memory,
            memory_sequence_length,
            None,
            Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype or "float32"),
            probability_fn,
            score_mask_value,
            custom_key_value_fn,
            name,
        )
        self._scale = scale

    def scored(self, query: Any) -> Any:
        """Scores of a query for each step, `[batch, steps]`."""
        keys = self._keys
        size, wanted = query.shape.with_rank(2)[1].value, keys.shape[2].value
        if size != wanted:
            raise ValueError(f"the query has size {size} and the keys {wanted}: they must be equal")
        score = squeeze(matmul(expand_dims(query, 1), keys, transpose_b=True), [1])
        if not self._scale:
            return score
        return score * get_variable("attention_g", [], query.dtype, initializer=Ones())
