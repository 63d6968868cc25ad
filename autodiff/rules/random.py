"""Gradients of `ops/random`: only gamma samples depend on floats."""

from __future__ import annotations

from typing import Any

from ...graph.node import Operation, Tensor
from ...ops.array.concat import concat
from ...ops.array.constants import fill
from ...ops.array.ranges import range as arange
from ...ops.array.reshape import reshape
from ...ops.array.shapes import rank, shape, size
from ...ops.math.reductions import reduce_sum
from ...ops.special.incomplete_gamma_gradients import RANDOM_GAMMA_GRAD
from ..common.rule_tables import gradient_of, not_differentiable, undefined
from ..common.static_facts import times

not_differentiable(
    "NonDeterministicInts",
    "ParameterizedTruncatedNormal",
    "RandomPoisson",
    "RandomPoissonV2",
    "RandomShuffle",
    "RandomStandardNormal",
    "RandomStretch",
    "RandomUniform",
    "RngReadAndSkip",
    "StatefulRandomBinomial",
    "StatefulStandardNormal",
    "StatefulStandardNormalV2",
    "StatefulTruncatedNormal",
    "StatefulUniform",
    "StatefulUniformFullInt",
    "StatefulUniformInt",
    "StatelessRandomBinomial",
    "StatelessRandomPoisson",
    "TruncatedNormal",
)


undefined("TensorFlow has none either", "StatelessShuffle")


@gradient_of("RandomGamma")
def _random_gamma(op: Operation, gradient: Tensor) -> Any:
    """By implicit differentiation of the distribution function, as TensorFlow has it."""
    return None, lambda: _for_alpha(op, gradient, size(op.inputs[0]))


@gradient_of("StatelessRandomGammaV2")
@gradient_of("StatelessRandomGammaV3")
def _stateless_gamma(op: Operation, gradient: Tensor) -> Any:
    """As that of RandomGamma; but the shape is that of the result."""
    drawn, *others, alpha = op.inputs
    return (
        None,
        *(None for _ in others),
        lambda: _for_alpha(op, gradient, size(drawn) - rank(alpha)),
    )


def _for_alpha(op: Operation, gradient: Tensor, number: Tensor) -> Tensor:
    """The gradient for the last input, before whose shape the result has `number` dimensions."""
    alpha = op.inputs[-1]
    sizes = shape(alpha)
    lead = reshape(alpha, concat([fill([number], 1), sizes], 0))
    change = times(gradient, RANDOM_GAMMA_GRAD(lead, op.outputs[0]))
    return reduce_sum(change, arange(number))
