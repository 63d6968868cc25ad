"""Losses of classifiers: how far logits are from the classes that are right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..graph.convert import convert_to_tensor
from ..graph.functions import name_scope
from ..graph.op_def import OpDef
from ..shape_inference.rules import broadcast
from ..shape_inference.tensor_shape import TensorShape
from .arithmetic import add, maximum, multiply, negative, subtract
from .nn import softplus

if TYPE_CHECKING:
    from ..graph.node import Tensor
    from ..shape_inference.context import KernelContext, ShapeContext
    from ..shape_inference.protocols import Array, Kernel

_FLOATS = "T: {half, bfloat16, float32, float64}"
SOFTMAX_CROSS_ENTROPY_WITH_LOGITS = OpDef(
    "SoftmaxCrossEntropyWithLogits", "features: T, labels: T -> loss: T, backprop: T", _FLOATS
)
SPARSE_SOFTMAX_CROSS_ENTROPY_WITH_LOGITS = OpDef(
    "SparseSoftmaxCrossEntropyWithLogits",
    "features: T, labels: Tlabels -> loss: T, backprop: T",
    f"{_FLOATS}, Tlabels: {{int32, int64}} = int64",
)


def _rows(features: TensorShape, labels: TensorShape) -> TensorShape:
    """The shape that both have, [batch, classes].

    Raises:
        ValueError: they have no such shape.
    """
    shape = broadcast(features, labels)
    if shape.rank not in (None, 2):
        raise ValueError(
            f"features and labels must have rank 2, got shapes {features} and {labels}"
        )
    return shape


@SOFTMAX_CROSS_ENTROPY_WITH_LOGITS.shape
def _softmax_cross_entropy_shape(c: ShapeContext) -> list[TensorShape]:
    sizes: Any = _rows(c.shape("features"), c.shape("labels")).sizes or (None, None)
    return [TensorShape.of(sizes[:1]), TensorShape.of(sizes)]


@SOFTMAX_CROSS_ENTROPY_WITH_LOGITS.kernel
def _softmax_cross_entropy_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype

    def cross_entropy(features: Array, labels: Array) -> tuple[Array, Array]:
        shape = _rows(TensorShape.of(features.shape), TensorShape.of(labels.shape))
        logits = np.broadcast_to(features, shape.as_list())  # type: ignore[arg-type]
        shifted, total = _shifted(logits, dtype)
        labels = labels.astype(shifted.dtype, copy=False)
        loss = (labels * (np.log(total) - shifted)).sum(-1)
        backprop = np.exp(shifted) / total - labels
        return loss.astype(dtype, copy=False), backprop.astype(dtype, copy=False)

    return cross_entropy


def _shifted(logits: Array, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """The logits less the greatest of each row, and the sums of their powers."""
    wide = logits.astype(np.float32) if dtype.itemsize == 2 else logits
    shifted = wide - wide.max(-1, keepdims=True, initial=-np.inf)
    return shifted, np.exp(shifted).sum(-1, keepdims=True)


@SPARSE_SOFTMAX_CROSS_ENTROPY_WITH_LOGITS.shape
def _sparse_softmax_cross_entropy_shape(c: ShapeContext) -> list[TensorShape]:
    features: Any = c.shape("features", rank=2).sizes
    labels: Any = c.shape("labels", rank=1).sizes
    batch = c.same_size("the number of rows of features and of labels", features[0], labels[0])
    return [TensorShape.of((batch,)), TensorShape.of((batch, features[1]))]


@SPARSE_SOFTMAX_CROSS_ENTROPY_WITH_LOGITS.kernel
def _sparse_softmax_cross_entropy_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype

    def cross_entropy(features: Array, labels: Array) -> tuple[Array, Array]:
        _check_labels(features, labels)
        shifted, total = _shifted(features, dtype)
        rows = np.arange(len(labels))
        loss = np.log(total[:, 0]) - shifted[rows, labels]
        backprop = np.exp(shifted) / total
        backprop[rows, labels] -= 1
        return loss.astype(dtype, copy=False), backprop.astype(dtype, copy=False)

    return cross_entropy


def _check_labels(features: Array, labels: Array) -> None:
    if features.ndim != 2:
        raise ValueError(f"features must have rank 2, got shape {list(features.shape)}")
    if labels.ndim != 1:
        raise ValueError(f"labels must have rank 1, got shape {list(labels.shape)}")
    if len(features) != len(labels):
        raise ValueError(
            "the number of rows of features and of labels must be equal, got "
            f"{len(features)} and {len(labels)}"
        )
    classes = features.shape[1]
    bad = np.flatnonzero((labels < 0) | (labels >= classes))
    if bad.size:
        raise ValueError(f"labels[{bad[0]}] = {labels[bad[0]]} is not in [0, {classes})")


def softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """The cross entropy of `softmax(logits)` and the distributions `labels`, row by row.

    Args:
        labels: [batch, classes]: a distribution over the classes for each row.
        logits: [batch, classes] of half, bfloat16, float32 or float64, of the dtype of `labels`.
        name: a name for the op.

    Returns:
        A Tensor [batch].

    Raises:
        TypeError: the dtypes differ.
        ValueError: the shapes differ.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     loss = td.nn.softmax_cross_entropy_with_logits([[0.0, 1.0]], [[2.0, 2.0]])
        ...     print(session.run(loss))
        [0.6931472]
    """
    return SOFTMAX_CROSS_ENTROPY_WITH_LOGITS(logits, labels, name=name).loss  # type: ignore[no-any-return]


def sparse_softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """The cross entropy of `softmax(logits)` and the classes `labels`, row by row.

    Args:
        labels: [batch] of int32 or int64: the class of each row.
        logits: [batch, classes] of half, bfloat16, float32 or float64.
        name: a name for the op.

    Returns:
        A Tensor [batch] of the dtype of `logits`. A class outside [0, classes) is an
        InvalidArgumentError at the run.

    Raises:
        TypeError: an argument is of another dtype.
        ValueError: the shapes do not fit together.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     loss = td.nn.sparse_softmax_cross_entropy_with_logits([1], [[2.0, 2.0]])
        ...     print(session.run(loss))
        [0.6931472]
    """
    return SPARSE_SOFTMAX_CROSS_ENTROPY_WITH_LOGITS(logits, labels, name=name).loss  # type: ignore[no-any-return]


def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """The cross entropy of `sigmoid(logits)` and the probabilities `labels`, one by one.

    Args:
        labels: a tensor of floats in [0, 1].
        logits: a tensor of the same shape and dtype.
        name: a name for the ops.

    Returns:
        A Tensor of the shape of `logits`.

    Raises:
        ValueError: the shapes do not broadcast together.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.nn.sigmoid_cross_entropy_with_logits([1.0, 0.0], [0.0, 0.0])))
        [0.6931472 0.6931472]
    """
    with name_scope(name, "logistic_loss"):
        x = convert_to_tensor(logits)
        losses = subtract(maximum(x, 0.0), multiply(x, convert_to_tensor(labels, x.dtype)))
        return add(losses, softplus(negative(abs(x))))
