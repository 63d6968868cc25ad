"""Attention with several heads: `td.keras.layers.MultiHeadAttention`."""

from __future__ import annotations

import math
from typing import Any

from ...graph.node import Tensor
from ...ops.array.cast import cast
from ...ops.array.concat import concat
from ...ops.array.constants import ones_like
from ...ops.array.diag import matrix_band_part
from ...ops.array.reshape import expand_dims, reshape
from ...ops.array.shapes import shape
from ...ops.indexing.repeat import repeat
from ...ops.linalg.einsum import einsum
from ...ops.math.logical import logical_and
from ...ops.nn.activations import softmax
from ..backend.keras_tensors import mask_of
from .base_layer import KerasStyle
from .core import Dropout
from .einsum_dense import EinsumDense

public = {"td.keras.layers": "GroupQueryAttention=GroupedQueryAttention MultiHeadAttention"}

_FAR_BELOW = -1e9
_LETTERS = "bcdefghijklmnopqrstuvwxyz"


class MultiHeadAttention(KerasStyle):
    """Attention of several heads (Vaswani et al., 2017).

    Called on queries, values, and keys, which are the values unless they are given.

    Args:
        num_heads: the number of heads.
        key_dim: the size of each query and key.
        value_dim: the size of each value; by default `key_dim`.
        dropout: which part of the scores is dropped in training.
        use_bias: whether biases are added.
        output_shape: the shape of the outputs; by default that of the queries.
        attention_axes: the dimensions that are attended; by default all but the first and last.
        kwargs: further arguments of a layer, and of kernel and bias.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.MultiHeadAttention(2, 3)
        ...     x = td.ones([2, 5, 4])
        ...     layer(x, x).shape.as_list(), len(layer.weights)
        ([2, 5, 4], 8)
    """

    supports_masking = True

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: Any = None,
        attention_axes: Any = None,
        flash_attention: bool | None = None,
        seed: int | None = None,
        use_gate: bool = False,
        **kwargs: Any,
    ) -> None:
        self._options = _weight_options(kwargs)
        for name in ("query_shape", "key_shape", "value_shape", "softmax_robust_masking"):
            kwargs.pop(name, None)
        super().__init__(**kwargs)
        if use_gate:
            raise ValueError("use_gate must be False")
        self.num_heads, self.key_dim = num_heads, key_dim
        self.value_dim, self.dropout, self.use_bias = value_dim or key_dim, dropout, use_bias
        single = isinstance(output_shape, int)
        self._wanted = [output_shape] if single else output_shape
        self._axes = [attention_axes] if isinstance(attention_axes, int) else attention_axes
        self.query_dense: Any = None
        self.key_dense: Any = None
        self.value_dense: Any = None
        self.output_dense: Any = None
        self.dropout_layer: Any = None

    def _projection(self, name: str, rank: int, size: int) -> Any:
        """A dense layer from the last dimension to heads."""
        letters = _LETTERS[: rank - 1]
        last, head, inner = (_LETTERS[rank - 2 + place] for place in range(3))
        bias = f"{head}{inner}" if self.use_bias else None
        equation = f"a{letters},{last}{head}{inner}->a{letters[:-1]}{head}{inner}"
        sizes = [*[None] * (rank - 2), self.num_heads, size]
        return EinsumDense(equation, sizes, bias_axes=bias, name=name, **self._options)

    def _parts(self, query: Any, key: Any, value: Any) -> None:
        """Makes the layers within."""
        rank = query.shape.rank
        self.query_dense = self._projection("query", rank, self.key_dim)
        self.key_dense = self._projection("key", key.shape.rank, self.key_dim)
        self.value_dense = self._projection("value", value.shape.rank, self.value_dim)
        free = _LETTERS[: rank - 2]
        head, inner = _LETTERS[rank - 2], _LETTERS[rank - 1]
        sizes = list(self._wanted or [query.shape.as_list()[-1]])
        out = _LETTERS[rank : rank + len(sizes)]
        self.output_dense = EinsumDense(
            f"a{free}{head}{inner},{head}{inner}{out}->a{free}{out}",
            [*[None] * (rank - 2), *sizes],
            bias_axes=out if self.use_bias else None,
            name="attention_output",
            **self._options,
        )
        self.dropout_layer = Dropout(self.dropout) if self.dropout else None

    def call(
        self,
        inputs: Any,
        *args: Any,
        value: Any = None,
        key: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: Any = None,
        use_causal_mask: bool = False,
        **kwargs: Any,
    ) -> Any:
        """The attended values.

        Args:
            inputs: the queries.
            args: the values, the keys.
            value: the values.
            key: the keys, by default the values.
            attention_mask: bools `[batch, queries, keys]`, or what broadcasts to it.
            return_attention_scores: whether the scores are given, too.
            training: whether scores are dropped.
            use_causal_mask: whether a query sees no later value.
            kwargs: masks of query, value and key.
        """
        value, key = _values_and_keys(inputs, args, value, key)
        if self.query_dense is None:
            self._parts(inputs, key, value)
        queries = self.query_dense(inputs) * (1.0 / math.sqrt(float(self.key_dim)))
        return self._attended(
            queries,
            self.key_dense(key),
            self.value_dense(value),
            _joint_mask(inputs, key, value, attention_mask, kwargs),
            (use_causal_mask, return_attention_scores, training),
        )

    def _attended(self, query: Any, key: Any, value: Any, mask: Any, options: Any) -> Any:
        causal, with_scores, training = options
        dots, combined = self._equations(query.shape.rank)
        scores = einsum(dots, key, query)
        count = len(self._attended_axes(query.shape.rank))
        counting = mask
        if counting is not None:
            for _ in range(scores.shape.rank - counting.shape.rank):
                counting = expand_dims(counting, -2 * count - 1)
        scores = _masked(scores, counting, causal)
        weights = self._softmax_of(scores, count)
        kept = weights
        if self.dropout_layer is not None:
            kept = self.dropout_layer(weights, training=training)
        result = self.output_dense(einsum(combined, kept, value))
        return [result, weights] if with_scores else result

    def _softmax_of(self, scores: Any, count: int) -> Any:
        """The softmax along the last dimensions, as many as are attended."""
        if count == 1:
            return softmax(scores)

        sizes = shape(scores)
        flat = softmax(reshape(scores, _joined(sizes, scores.shape.rank - count)))
        return reshape(flat, sizes)

    def _attended_axes(self, rank: int) -> list[int]:
        axes = self._axes or [*range(1, rank - 2)]
        return [axis % (rank - 1) for axis in axes]

    def _equations(self, rank: int) -> tuple[str, str]:
        """The equations of scores and of attended values, for queries with heads of a rank."""
        target = "a" + _LETTERS[: rank - 1]
        axes = self._attended_axes(rank)
        batch = [place for place in range(rank - 1) if place not in axes]  # with the heads
        source = list(target)
        free = iter("ABCDEFGHIJKL")
        for axis in axes:
            source[axis] = next(free)
        product = "".join(target[place] for place in batch)
        product += "".join(target[place] for place in axes) + "".join(source[x] for x in axes)
        keys = "".join(source)
        return f"{keys},{target}->{product}", f"{product},{keys}->{target}"

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the queries."""
        return mask[0] if isinstance(mask, (list, tuple)) else mask


def _joined(sizes: Any, rank: int) -> Any:
    return concat([sizes[:rank], [-1]], 0)


def _weight_options(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Takes the arguments of kernel and bias out of those of a layer."""
    words = ("initializer", "regularizer", "constraint")
    names = [f"{what}_{word}" for what in ("kernel", "bias") for word in words]
    return {name: kwargs.pop(name) for name in names if name in kwargs}


def _values_and_keys(query: Any, args: Any, value: Any, key: Any) -> tuple[Any, Any]:
    """The values and keys of a call, by default the queries and the values."""
    value, key = (*args, None, None)[:2] if args else (value, key)
    value = query if value is None else value
    return value, value if key is None else key


def _masked(scores: Any, counting: Any, causal: bool) -> Any:
    """Scores, far below all others where they do not count."""
    if causal:
        before = cast(matrix_band_part(ones_like(scores), -1, 0), "bool")
        counting = before if counting is None else logical_and(counting, before)
    if counting is None:
        return scores
    return scores + (1.0 - cast(counting, scores.dtype)) * _FAR_BELOW


def _joint_mask(query: Any, key: Any, value: Any, given: Any, masks: Any) -> Any:
    """The mask of queries and keys, of those that are given and those of sequences."""
    found = None if given is None else cast(given, "bool")
    pairs = (("query_mask", query, -1), ("value_mask", value, -2), ("key_mask", key, -2))
    for name, tensor, axis in pairs:
        mask = masks.get(name)
        if mask is None and isinstance(tensor, Tensor) and not (tensor is value and name[0] == "k"):
            mask = mask_of(tensor)
        if mask is not None:
            wide = expand_dims(cast(mask, "bool"), axis)
            found = wide if found is None else logical_and(found, wide)
    return found


class GroupedQueryAttention(KerasStyle):
    """Attention in which groups of queries share keys and values (Ainslie et al., 2023).

    Args:
        head_dim: the size of each head.
        num_query_heads: the number of heads of queries.
        num_key_value_heads: the number of heads of keys and values, which divides it.
        dropout: which part of the scores is dropped in training.
        use_bias: whether biases are added.
        kwargs: further arguments of a layer, and of kernel and bias.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.GroupQueryAttention(3, 4, 2)
        ...     x = td.ones([2, 5, 4])
        ...     layer(x, x).shape.as_list(), len(layer.weights)
        ([2, 5, 4], 8)
    """

    other_names = ("GroupQueryAttention", "GroupedQueryAttention")
    supports_masking = True

    def __init__(
        self,
        head_dim: int,
        num_query_heads: int,
        num_key_value_heads: int,
        dropout: float = 0.0,
        use_bias: bool = True,
        flash_attention: bool | None = None,
        seed: int | None = None,
        use_gate: bool = False,
        **kwargs: Any,
    ) -> None:
        self._options = _weight_options(kwargs)
        super().__init__(**kwargs)
        if num_key_value_heads < 1 or num_query_heads % num_key_value_heads:
            raise ValueError(
                f"num_key_value_heads = {num_key_value_heads} must divide {num_query_heads}"
            )
        if use_gate:
            raise ValueError("use_gate must be False")
        self.head_dim, self.num_query_heads = head_dim, num_query_heads
        self.num_key_value_heads, self.dropout, self.use_bias = (
            num_key_value_heads,
            dropout,
            use_bias,
        )
        self.dropout_layer = Dropout(dropout) if dropout else None
        self.query_dense: Any = None
        self.key_dense: Any = None
        self.value_dense: Any = None
        self.output_dense: Any = None

    def _dense(self, name: str, heads: int) -> Any:
        return EinsumDense(
            "bqm,muh->bquh",
            [None, heads, self.head_dim],
            bias_axes="uh" if self.use_bias else None,
            name=name,
            **self._options,
        )

    def call(
        self,
        inputs: Any,
        *args: Any,
        value: Any = None,
        key: Any = None,
        attention_mask: Any = None,
        use_causal_mask: bool = False,
        return_attention_scores: bool = False,
        training: Any = None,
        **kwargs: Any,
    ) -> Any:
        """The attended values: arguments as for `MultiHeadAttention`."""
        value, key = _values_and_keys(inputs, args, value, key)
        if self.query_dense is None:
            self.query_dense = self._dense("query", self.num_query_heads)
            self.key_dense = self._dense("key", self.num_key_value_heads)
            self.value_dense = self._dense("value", self.num_key_value_heads)
            last = inputs.shape.as_list()[-1]
            self.output_dense = EinsumDense(
                "bquh,uhm->bqm",
                [None, last],
                bias_axes="m" if self.use_bias else None,
                name="attention_output",
                **self._options,
            )
        times = self.num_query_heads // self.num_key_value_heads
        queries = self.query_dense(inputs) * (1.0 / math.sqrt(float(self.head_dim)))
        keys = repeat(self.key_dense(key), times, axis=2)
        values = repeat(self.value_dense(value), times, axis=2)
        scores = einsum("bquh,bkuh->buqk", queries, keys)
        counting = _joint_mask(inputs, key, value, attention_mask, kwargs)
        counting = None if counting is None else expand_dims(counting, 1)
        weights = softmax(_masked(scores, counting, use_causal_mask))
        kept = weights
        if self.dropout_layer is not None:
            kept = self.dropout_layer(weights, training=training)
        result = self.output_dense(einsum("buqk,bkuh->bquh", kept, values))
        return [result, weights] if return_attention_scores else result
