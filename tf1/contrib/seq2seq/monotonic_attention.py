"""Monotonic attention, which moves along its memory and never back."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....graph.convert import convert_to_tensor
from ....graph.default_scopes import name_scope
from ....ops.array.cast import cast
from ....ops.array.concat import concat
from ....ops.array.constants import ones, zeros
from ....ops.array.shapes import shape
from ....ops.array.transpose import transpose
from ....ops.control_flow.map_and_fold import scan
from ....ops.indexing.one_hot import one_hot
from ....ops.initializers.initializers import Constant
from ....ops.math.comparison import greater
from ....ops.math.cumsum import cumprod, cumsum
from ....ops.math.exponentials import exp, log, sigmoid
from ....ops.random.uniform_and_normal import random_normal
from ....ops.statistics.clip import clip_by_value
from ....ops.variable_scopes.get_variable import get_variable
from .attention_mechanisms import BahdanauAttention, LuongAttention

public = {
    "td.contrib.seq2seq": (
        "BahdanauMonotonicAttention LuongMonotonicAttention monotonic_attention safe_cumprod"
    ),
}


def safe_cumprod(x: Any, *args: Any, **kwargs: Any) -> Any:
    """Exclusive cumulative product, by logarithms: its gradient is finite where `x` has zeros.

    Args:
        x: floats in [0, 1].
        args: further arguments, as for `td.cumsum`.
        kwargs: the same.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.contrib.seq2seq.safe_cumprod([0.5, 0.5, 1.0])))
        [0.5  0.25 0.25]
    """
    with name_scope(None, "SafeCumprod", [x]):
        tensor = convert_to_tensor(x)
        least = np.finfo(tensor.dtype.base_dtype.numpy_dtype).tiny
        return exp(cumsum(log(clip_by_value(tensor, least, 1)), *args, **kwargs))


def monotonic_attention(p_choose_i: Any, previous_attention: Any, mode: str) -> Any:
    """The shares of attention where each step is looked at in turn, and chosen or not.

    From where it was before, attention moves along the memory; at each step it stays with a given
    probability. Source: Raffel and others, "Online and Linear-Time Attention by Enforcing
    Monotonic Alignments" (2017).

    Args:
        p_choose_i: how likely each step is to be chosen once it is looked at, `[batch, steps]`.
        previous_attention: the shares before, `[batch, steps]`.
        mode: "recursive", which is exact and slow; "parallel", which is fast, and not exact where
            probabilities are near 0 or 1; or "hard", for probabilities and shares that are 0 or 1.

    Returns:
        A Tensor `[batch, steps]`.

    Raises:
        ValueError: `mode` is none of these.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     shares = td.contrib.seq2seq.monotonic_attention(
        ...         [[0.0, 0.5, 1.0]], [[1.0, 0.0, 0.0]], "recursive"
        ...     )
        ...     print(session.run(shares))
        [[0.  0.5 0.5]]
    """
    p, before = convert_to_tensor(p_choose_i), convert_to_tensor(previous_attention)
    if mode == "recursive":
        batch = p.shape[0].value or shape(p)[0]
        passed = concat([ones([batch, 1], p.dtype), 1 - p[:, :-1]], 1)
        columns = [transpose(passed), transpose(before)]
        come = scan(lambda so_far, now: now[0] * so_far + now[1], columns, zeros([batch], p.dtype))
        return p * transpose(come)
    if mode == "parallel":
        passed = safe_cumprod(1 - p, axis=1, exclusive=True)
        # Where that is tiny, dividing by it would be no number.
        return p * passed * cumsum(before / clip_by_value(passed, 1e-10, 1.0), axis=1)
    if mode == "hard":
        reached = p * cumsum(before, axis=1)
        return reached * cumprod(1 - reached, axis=1, exclusive=True)
    raise ValueError(f"mode must be 'recursive', 'parallel' or 'hard', got {mode!r}")


class _Monotonic:
    """Mixin of monotonic mechanisms; it comes before the mechanism among the bases.

    Args:
        sigmoid_noise: the deviation of the noise that is added to scores.
        sigmoid_noise_seed: makes the noise the same in every session.
        score_bias_init: the initial bias of scores.
        mode: as for `monotonic_attention`.
    """

    _noise: float
    _seed: int | None
    _bias: float
    _mode: str

    def _be_monotonic(self, noise: float, seed: int | None, bias: float, mode: str) -> None:
        self._noise, self._seed, self._bias, self._mode = noise, seed, bias, mode

    def scored(self, query: Any) -> Any:
        """Scores of a query for each step, `[batch, steps]`."""
        scores = super().scored(query)  # type: ignore[misc]
        start = Constant(self._bias)
        return scores + get_variable("attention_score_bias", [], scores.dtype, initializer=start)

    def shares(self, scores: Any, state: Any) -> Any:
        """The shares of attention, from where it was before."""
        if self._noise > 0:
            drawn = random_normal(shape(scores), dtype=scores.dtype, seed=self._seed)
            scores += self._noise * drawn
        hard = self._mode == "hard"
        chosen = cast(greater(scores, 0), scores.dtype) if hard else sigmoid(scores)
        return monotonic_attention(chosen, state, self._mode)

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """All attention at the first step."""
        steps = self.alignments_size  # type: ignore[attr-defined]
        return one_hot(zeros([batch_size], "int32"), steps, dtype=dtype)


class BahdanauMonotonicAttention(_Monotonic, BahdanauAttention):
    """Monotonic attention with the scores of `BahdanauAttention`.

    Args:
        num_units: as there.
        memory: as there.
        memory_sequence_length: as there.
        normalize: as there.
        score_mask_value: as there.
        sigmoid_noise: the deviation of the noise that is added to scores, which teaches them to be
            large; 0 where the model is used.
        sigmoid_noise_seed: makes the noise the same in every session.
        score_bias_init: the initial bias of scores: far below 0 for long memories.
        mode: as for `monotonic_attention`; "hard" where the model is used.
        dtype: as there.
        name: as there.

    Example:
        >>> with td.Graph().as_default():
        ...     attention = td.contrib.seq2seq.BahdanauMonotonicAttention(4, td.ones([2, 7, 5]))
        ...     shares, _ = attention(td.ones([2, 3]), attention.initial_state(2, td.float32))
        ...     td.global_variables()[-1].op.name
        'bahdanau_monotonic_attention/attention_score_bias'
    """

    scope_name = "bahdanau_monotonic_attention"

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        score_mask_value: Any = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: Any = None,
        name: str = "BahdanauMonotonicAttention",
    ) -> None:
        args = memory, memory_sequence_length, normalize, None, score_mask_value, dtype, None, name
        super().__init__(num_units, *args)
        self._be_monotonic(sigmoid_noise, sigmoid_noise_seed, score_bias_init, mode)


class LuongMonotonicAttention(_Monotonic, LuongAttention):
    """Monotonic attention with the scores of `LuongAttention`.

    Args:
        num_units: as there.
        memory: as there.
        memory_sequence_length: as there.
        scale: as there.
        score_mask_value: as there.
        sigmoid_noise: as for `BahdanauMonotonicAttention`, like all arguments not listed here.
        sigmoid_noise_seed: as there.
        score_bias_init: as there.
        mode: as there.
        dtype: as there.
        name: as there.

    Example:
        >>> with td.Graph().as_default():
        ...     attention = td.contrib.seq2seq.LuongMonotonicAttention(3, td.ones([2, 7, 5]))
        ...     shares, _ = attention(td.ones([2, 3]), attention.initial_state(2, td.float32))
        ...     shares.shape.as_list()
        [2, 7]
    """

    scope_name = "luong_monotonic_attention"

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        score_mask_value: Any = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: Any = None,
        name: str = "LuongMonotonicAttention",
    ) -> None:
        args = memory, memory_sequence_length, scale, None, score_mask_value, dtype, None, name
        super().__init__(num_units, *args)
        self._be_monotonic(sigmoid_noise, sigmoid_noise_seed, score_bias_init, mode)
