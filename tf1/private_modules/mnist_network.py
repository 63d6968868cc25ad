"""`tensorflow.examples.tutorials.mnist.mnist`: the network of two hidden layers of the tutorial."""

from __future__ import annotations

from typing import Any

from ...graph.default_scopes import name_scope
from ...graph.node import Operation, Tensor
from ...ops.array.cast import cast
from ...ops.array.constants import zeros
from ...ops.linalg.matmul import matmul
from ...ops.math.reductions import reduce_mean, reduce_sum
from ...ops.nn.activations import relu
from ...ops.nn.losses import sparse_softmax_cross_entropy_with_logits
from ...ops.random.uniform_and_normal import truncated_normal
from ...ops.sorting.top_k import in_top_k
from ...ops.summaries.scalars_and_histograms import scalar
from ...ops.variables.variable import Variable
from ...protos.dtypes import int32, int64
from ...training.optimizers.gradient_descent import GradientDescentOptimizer

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def inference(images: Any, hidden1_units: int, hidden2_units: int) -> Tensor:
    """The logits of images, `[batch, 784]`, by two hidden layers."""
    sizes = {"hidden1": hidden1_units, "hidden2": hidden2_units, "softmax_linear": NUM_CLASSES}
    outputs, rows = images, IMAGE_PIXELS
    for name, columns in sizes.items():
        with name_scope(name):
            weights = Variable(truncated_normal([rows, columns], stddev=rows**-0.5), name="weights")
            biases = Variable(zeros([columns]), name="biases")
            outputs = matmul(outputs, weights) + biases
            if name != "softmax_linear":
                outputs = relu(outputs)
        rows = columns
    return outputs


def loss(logits: Any, labels: Any) -> Tensor:
    """The mean cross entropy of logits and labels, which are whole numbers."""
    entropies = sparse_softmax_cross_entropy_with_logits(
        labels=cast(labels, int64), logits=logits, name="xentropy"
    )
    return reduce_mean(entropies, name="xentropy_mean")


def training(loss: Any, learning_rate: float) -> Operation:
    """The op of a step, which counts in a variable `global_step`; the loss has a summary."""
    scalar("loss", loss)
    step = Variable(0, name="global_step", trainable=False)
    return GradientDescentOptimizer(learning_rate).minimize(loss, global_step=step)


def evaluation(logits: Any, labels: Any) -> Tensor:
    """Number of correct predictions in a batch, an int32."""
    return reduce_sum(cast(in_top_k(logits, labels, 1), int32))
