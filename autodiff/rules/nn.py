"""Gradients of `ops/nn`: activations, losses, biases."""

from __future__ import annotations

from typing import Any

from ...graph.describe import describe_op
from ...graph.node import Operation, Tensor
from ...ops.array.broadcast import broadcast_to
from ...ops.array.concat import concat
from ...ops.array.constants import ones, zeros_like
from ...ops.array.reshape import expand_dims, reshape
from ...ops.array.shapes import rank
from ...ops.math.add_n import add_n
from ...ops.math.arithmetic import abs, add, multiply, negative, sign, square, subtract
from ...ops.math.comparison import less
from ...ops.math.division import truediv
from ...ops.math.exponentials import exp
from ...ops.math.reductions import reduce_sum
from ...ops.nn.activations import log_softmax, softmax
from ...protos.dtypes import int32
from ..common.rule_tables import attrs_of, gradient_of, not_differentiable, raw, unary, undefined
from ..common.static_facts import constant_like, shape_of, summed_to, times
from .math import masked

unary(
    {
        "Elu": lambda g, x, y: raw("EluGrad")(g, y),
        "Relu": lambda g, x, y: raw("ReluGrad")(g, y),
        "Relu6": lambda g, x, y: raw("Relu6Grad")(g, y),
        "Selu": lambda g, x, y: raw("SeluGrad")(g, y),
        "Softplus": lambda g, x, y: raw("SoftplusGrad")(g, x),
        "Softsign": lambda g, x, y: raw("SoftsignGrad")(g, x),
        "Softmax": lambda g, x, y: _through_softmax(g, y),
        "LogSoftmax": lambda g, x, y: subtract(
            g, multiply(reduce_sum(g, -1, keep_dims=True), exp(y))
        ),
    }
)


def _through_softmax(gradient: Tensor, y: Tensor) -> Tensor:
    """The gradient of the logits of a softmax, from that of its result `y`."""
    along = reduce_sum(multiply(gradient, y), -1, keep_dims=True)
    return multiply(subtract(gradient, along), y)


@gradient_of("LeakyRelu")
def _leaky_relu(op: Operation, gradient: Tensor) -> Tensor:
    return raw("LeakyReluGrad")(gradient, op.inputs[0], **attrs_of(op, "alpha"))


@gradient_of("ReluGrad", "Relu6Grad", "LeakyReluGrad")
def _relu_grad(op: Operation, gradient: Tensor) -> Any:
    x = op.inputs[1]
    return (
        lambda: raw(op.type)(gradient, x, **attrs_of(op, "alpha")),
        lambda: zeros_like(x),
    )


@gradient_of("EluGrad", "SeluGrad")
def _elu_grad(op: Operation, gradient: Tensor) -> Any:
    """Below 0 the derivative is the result and a constant, and so has the derivative 1."""
    given, y = op.inputs
    return (
        lambda: raw(op.type)(gradient, y),
        lambda: masked(less(y, constant_like(0, y)), times(gradient, given)),
    )


@gradient_of("SoftplusGrad")
def _softplus_grad(op: Operation, gradient: Tensor) -> Any:
    given, x = op.inputs

    def for_x() -> Tensor:
        both = times(gradient, given)
        return truediv(both, add(exp(negative(x)), add(exp(x), constant_like(2, x))))

    return lambda: raw("SoftplusGrad")(gradient, x), for_x


@gradient_of("SoftsignGrad")
def _softsign_grad(op: Operation, gradient: Tensor) -> Any:
    """TensorFlow has no gradient for this one."""
    given, x = op.inputs

    def for_x() -> Tensor:
        size = add(abs(x), constant_like(1, x))
        slope = truediv(multiply(constant_like(-2, x), sign(x)), multiply(square(size), size))
        return multiply(times(gradient, given), slope)

    return lambda: raw("SoftsignGrad")(gradient, x), for_x


@gradient_of("BiasAdd", "BiasAddV1")
def _bias_add(op: Operation, gradient: Tensor) -> Any:
    return gradient, lambda: raw("BiasAddGrad")(gradient, **attrs_of(op, "data_format"))


@gradient_of("BiasAddGrad")
def _bias_add_grad(op: Operation, gradient: Tensor) -> Tensor:
    summed = op.inputs[0]
    if op.get_attr("data_format") == b"NCHW":
        spatial = ones(expand_dims(subtract(rank(summed), 2), 0), int32)
        gradient = reshape(gradient, concat([[-1], spatial], 0))
    return broadcast_to(gradient, shape_of(summed))


@gradient_of("SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits")
def _cross_entropy(op: Operation, of_loss: Tensor | None, of_backprop: Tensor | None) -> Any:
    logits, labels = op.inputs

    def for_logits() -> Tensor:
        parts = []
        if of_loss is not None:
            parts.append(times(expand_dims(of_loss, -1), op.outputs[1]))
        if of_backprop is not None:
            parts.append(_through_softmax(of_backprop, softmax(logits)))
        return summed_to(parts[0] if len(parts) == 1 else add_n(parts), logits, op.outputs[1])

    def for_labels() -> Tensor:
        # As in TensorFlow, what the second output owes the labels does not count: the second
        # derivative by logits and labels is 0, which it is for labels that nothing is learnt of.
        if of_loss is None:
            return zeros_like(labels)
        slopes = times(expand_dims(of_loss, -1), negative(log_softmax(logits)))
        return summed_to(slopes, labels, op.outputs[1])

    return for_logits, for_labels if labels.dtype.is_floating else None


@gradient_of("CTCLoss")
def _ctc_loss(op: Operation, of_loss: Tensor | None, of_gradient: Tensor | None) -> Any:
    if of_gradient is not None:
        raise LookupError(
            f"No gradient defined for operation {describe_op(op)}: second derivatives of CTC are "
            "not known, as in TensorFlow"
        )
    if of_loss is None:
        return [None] * 4
    return times(reshape(of_loss, [1, -1, 1]), op.outputs[1]), None, None, None


not_differentiable("CTCGreedyDecoder", "CTCBeamSearchDecoder")


undefined(
    "it is for networks that are learnt already; the cells of td.nn.rnn_cell learn",
    *("BlockLSTM", "BlockLSTMV2", "GRUBlockCell", "LSTMBlockCell"),
    *("BlockLSTMGrad", "BlockLSTMGradV2", "GRUBlockCellGrad", "LSTMBlockCellGrad"),
)
