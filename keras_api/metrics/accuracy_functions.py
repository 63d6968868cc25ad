"""The metrics of Keras: how right predictions are, one number for each example."""

from __future__ import annotations

from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...ops.array.cast import cast
from ...ops.array.reshape import reshape
from ...ops.array.shapes import shape
from ...ops.math.argmax import argmax
from ...ops.math.comparison import equal
from ...ops.math.reductions import reduce_mean
from ...ops.sorting.top_k import in_top_k

public = {
    "td.keras.metrics": (
        "binary_accuracy categorical_accuracy sparse_categorical_accuracy "
        "sparse_top_k_categorical_accuracy top_k_categorical_accuracy"
    )
}


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Tensor:
    """Binary accuracy.

    Args:
        y_true: the labels, of the shape of the predictions.
        y_pred: the predictions.
        threshold: what is above it counts as 1.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.metrics.binary_accuracy([[1.0, 0.0]], [[0.7, 0.6]])))
        [0.5]
    """
    predicted = convert_to_tensor(y_pred)
    classes = cast(predicted > threshold, predicted.dtype)
    right = equal(cast(y_true, predicted.dtype), classes)
    return reduce_mean(cast(right, predicted.dtype), axis=-1)


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where the greatest prediction is that of the label, in one-hot rows; else 0.

    Args:
        y_true: the labels, of the shape of the predictions.
        y_pred: the predictions.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(
        ...         session.run(td.keras.metrics.categorical_accuracy([[0.0, 1.0]], [[0.3, 0.7]]))
        ...     )
        [1.]
    """
    return cast(equal(argmax(y_true, -1), argmax(y_pred, -1)), "float32")


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where the greatest prediction is that of the label, which is a number; else 0.

    Args:
        y_true: the labels: as many as there are rows of predictions.
        y_pred: the predictions.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(
        ...         session.run(td.keras.metrics.sparse_categorical_accuracy([1.0], [[0.3, 0.7]]))
        ...     )
        [1.]
    """
    classes = argmax(y_pred, -1)
    return cast(equal(reshape(cast(y_true, "int64"), shape(classes)), classes), "float32")


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """1 where the label, in one-hot rows, is among the `k` greatest predictions; else 0.

    Args:
        y_true: the labels, of the shape of the predictions.
        y_pred: the predictions.
        k: how many.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     right = td.keras.metrics.top_k_categorical_accuracy([[0.0, 1.0]], [[0.7, 0.3]], 1)
        ...     print(session.run(right))
        [0.]
    """
    return sparse_top_k_categorical_accuracy(argmax(y_true, -1), y_pred, k)


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """1 where the label, a number, is among the `k` greatest predictions; else 0.

    Args:
        y_true: the labels.
        y_pred: the predictions.
        k: how many.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     right = td.keras.metrics.sparse_top_k_categorical_accuracy([1.0], [[0.7, 0.3]], 2)
        ...     print(session.run(right))
        [1.]
    """
    return cast(in_top_k(y_pred, reshape(cast(y_true, "int32"), [-1]), k), "float32")
