"""Metrics of Keras that are means of a function of labels and predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...graph.convert import convert_to_tensor
from ...ops.array.cast import cast
from ...ops.math.arithmetic import abs as magnitude, multiply, square
from ...ops.math.comparison import equal
from ...ops.math.division import div_no_nan
from ...ops.math.exponentials import sqrt
from ...ops.math.reductions import reduce_sum
from ...ops.statistics.norms import l2_normalize
from ..losses import loss_functions as losses
from . import accuracy_functions as metrics
from .metric import Mean, MeanMetricWrapper, of_one_rank

public = {
    "td.keras.metrics": (
        "Accuracy BinaryAccuracy BinaryCrossentropy CategoricalAccuracy CategoricalCrossentropy "
        "CategoricalHinge CosineSimilarity Hinge KLDivergence LogCoshError MeanAbsoluteError "
        "MeanAbsolutePercentageError MeanRelativeError MeanSquaredError "
        "MeanSquaredLogarithmicError Poisson RootMeanSquaredError SparseCategoricalAccuracy "
        "SparseCategoricalCrossentropy SparseTopKCategoricalAccuracy SquaredHinge "
        "TopKCategoricalAccuracy"
    )
}


def _mean_of(
    cls: str, name: str, fn: Callable[..., Any], summary: str, case: str, **defaults: Any
) -> Any:
    """The class of the mean of a function.

    Args:
        cls: the name of the class.
        name: what its metrics are called by default.
        fn: the function of labels and predictions.
        summary: the first line of the docstring.
        case: labels and predictions of the example, and what comes of them.
        defaults: further arguments of the function, and what they are by default.
    """
    words = list(defaults)

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        # Settings come before or behind the name, as TensorFlow has it for each class.
        order = [*words, "name", "dtype"] if cls.endswith("KCategoricalAccuracy") else None
        arguments = dict(zip(order or ["name", "dtype", *words], args, strict=False)) | kwargs
        if unknown := arguments.keys() - {"name", "dtype", *words}:
            raise TypeError(f"{cls} takes no argument {min(unknown)!r}")
        settings = {word: arguments.get(word, default) for word, default in defaults.items()}
        named = arguments.get("name") or name
        MeanMetricWrapper.__init__(self, fn, named, arguments.get("dtype"), **settings)

    data, _, result = case.partition(" -> ")
    more = "".join(f"        {word}: by default {value!r}.\n" for word, value in defaults.items())
    doc = (
        f"{summary}\n\n    Args:\n        name: the name, by default {name!r}.\n"
        f"        dtype: the dtype, by default float32.\n{more}\n"
        "    Example:\n        >>> import tensordraft as td\n"
        "        >>> with td.Graph().as_default():\n"
        f"        ...     so_far = td.keras.metrics.{cls}()({data})\n"
        "        ...     print(td.keras.backend.get_session().run(so_far).round(4))\n"
        f"        {result}\n    "
    )
    return type(
        cls, (MeanMetricWrapper,), {"__init__": init, "__doc__": doc, "__module__": __name__}
    )


def _equal(y_true: Any, y_pred: Any) -> Any:
    return cast(equal(y_true, y_pred), "float32")


def _cosine(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    return reduce_sum(multiply(l2_normalize(y_true, axis), l2_normalize(y_pred, axis)), axis)


Accuracy = _mean_of(
    "Accuracy",
    "accuracy",
    _equal,
    "Accuracy: the share of predictions that equal the labels.",
    "[1, 2, 3], [1, 2, 4] -> 0.6667",
)
BinaryAccuracy = _mean_of(
    "BinaryAccuracy",
    "binary_accuracy",
    metrics.binary_accuracy,
    "Binary accuracy: predictions above a threshold count as 1.",
    "[[1], [1], [0]], [[0.9], [0.4], [0.1]] -> 0.6667",
    threshold=0.5,
)
CategoricalAccuracy = _mean_of(
    "CategoricalAccuracy",
    "categorical_accuracy",
    metrics.categorical_accuracy,
    "Categorical accuracy, with one-hot labels.",
    "[[0, 1], [1, 0]], [[0.1, 0.9], [0.2, 0.8]] -> 0.5",
)
SparseCategoricalAccuracy = _mean_of(
    "SparseCategoricalAccuracy",
    "sparse_categorical_accuracy",
    metrics.sparse_categorical_accuracy,
    "Categorical accuracy, with class indices as labels.",
    "[1, 0], [[0.1, 0.9], [0.2, 0.8]] -> 0.5",
)
TopKCategoricalAccuracy = _mean_of(
    "TopKCategoricalAccuracy",
    "top_k_categorical_accuracy",
    metrics.top_k_categorical_accuracy,
    "Top-k accuracy, with one-hot labels.",
    "[[0, 1], [1, 0]], [[0.1, 0.9], [0.2, 0.8]] -> 1.0",
    k=5,
)
SparseTopKCategoricalAccuracy = _mean_of(
    "SparseTopKCategoricalAccuracy",
    "sparse_top_k_categorical_accuracy",
    metrics.sparse_top_k_categorical_accuracy,
    "Top-k accuracy, with class indices as labels.",
    "[1, 0], [[0.1, 0.9], [0.2, 0.8]] -> 1.0",
    k=5,
)
MeanSquaredError = _mean_of(
    "MeanSquaredError",
    "mean_squared_error",
    losses.mean_squared_error,
    "The mean of the squares of what predictions are off.",
    "[[0.0], [1.0]], [[0.0], [3.0]] -> 2.0",
)
MeanAbsoluteError = _mean_of(
    "MeanAbsoluteError",
    "mean_absolute_error",
    losses.mean_absolute_error,
    "The mean of what predictions are off.",
    "[[0.0], [1.0]], [[0.0], [3.0]] -> 1.0",
)
MeanAbsolutePercentageError = _mean_of(
    "MeanAbsolutePercentageError",
    "mean_absolute_percentage_error",
    losses.mean_absolute_percentage_error,
    "The mean of what predictions are off, in hundredths of the labels.",
    "[[1.0], [2.0]], [[1.0], [3.0]] -> 25.0",
)
MeanSquaredLogarithmicError = _mean_of(
    "MeanSquaredLogarithmicError",
    "mean_squared_logarithmic_error",
    losses.mean_squared_logarithmic_error,
    "The mean of the squares of what the logarithms of 1 and predictions are off.",
    "[[0.0], [1.0]], [[0.0], [3.0]] -> 0.2402",
)
Hinge = _mean_of(
    "Hinge",
    "hinge",
    losses.hinge,
    "Hinge loss, for labels of -1 and 1.",
    "[[1.0], [-1.0]], [[0.5], [-2.0]] -> 0.25",
)
SquaredHinge = _mean_of(
    "SquaredHinge",
    "squared_hinge",
    losses.squared_hinge,
    "Squared hinge loss, for labels of -1 and 1.",
    "[[1.0], [-1.0]], [[0.5], [-2.0]] -> 0.125",
)
CategoricalHinge = _mean_of(
    "CategoricalHinge",
    "categorical_hinge",
    losses.categorical_hinge,
    "Categorical hinge loss.",
    "[[0.0, 1.0]], [[0.5, 1.0]] -> 0.5",
)
LogCoshError = _mean_of(
    "LogCoshError",
    "logcosh",
    losses.logcosh,
    "The mean of the logarithms of the hyperbolic cosine of what predictions are off.",
    "[[0.0]], [[1.0]] -> 0.4338",
)
Poisson = _mean_of(
    "Poisson",
    "poisson",
    losses.poisson,
    "The mean of predictions less labels times their logarithms.",
    "[[1.0], [2.0]], [[1.0], [3.0]] -> 0.9014",
)
KLDivergence = _mean_of(
    "KLDivergence",
    "kullback_leibler_divergence",
    losses.kullback_leibler_divergence,
    "The divergence of Kullback and Leibler of predictions from labels.",
    "[[0.5, 0.5]], [[0.25, 0.75]] -> 0.1438",
)
CosineSimilarity = _mean_of(
    "CosineSimilarity",
    "cosine_similarity",
    _cosine,
    "The cosine of the angle between labels and predictions.",
    "[[0.0, 1.0]], [[1.0, 1.0]] -> 0.7071",
    axis=-1,
)
BinaryCrossentropy = _mean_of(
    "BinaryCrossentropy",
    "binary_crossentropy",
    losses.binary_crossentropy,
    "The cross entropy of labels of 0 and 1 and of probabilities, or of logits.",
    "[[1.0], [0.0]], [[0.5], [0.5]] -> 0.6931",
    from_logits=False,
    label_smoothing=0,
)
CategoricalCrossentropy = _mean_of(
    "CategoricalCrossentropy",
    "categorical_crossentropy",
    losses.categorical_crossentropy,
    "The cross entropy of labels, in one-hot rows, and of probabilities, or of logits.",
    "[[0.0, 1.0]], [[0.5, 0.5]] -> 0.6931",
    from_logits=False,
    label_smoothing=0,
)
SparseCategoricalCrossentropy = _mean_of(
    "SparseCategoricalCrossentropy",
    "sparse_categorical_crossentropy",
    losses.sparse_categorical_crossentropy,
    "The cross entropy of labels, which are numbers, and of probabilities, or of logits.",
    "[1], [[0.5, 0.5]] -> 0.6931",
    from_logits=False,
)


class MeanRelativeError(Mean):
    """The mean of what predictions are off, each divided by a number; by 0 it counts 0.

    Args:
        normalizer: what is divided by, of the shape of the predictions.
        name: the name, by default "mean_relative_error".
        dtype: the dtype, by default float32.

    Example:
        >>> with td.Graph().as_default():
        ...     metric = td.keras.metrics.MeanRelativeError(normalizer=[1.0, 4.0])
        ...     print(td.keras.backend.get_session().run(metric([1.0, 2.0], [1.0, 4.0])))
        0.25
    """

    def __init__(self, normalizer: Any, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name or "mean_relative_error", dtype)
        self.normalizer = cast(convert_to_tensor(normalizer), self.dtype)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:  # type: ignore[override]
        """The op that adds a batch."""
        labels, predicted = of_one_rank(cast(y_true, self.dtype), cast(y_pred, self.dtype))
        off = magnitude(labels - predicted)
        return super().update_state(div_no_nan(off, self.normalizer), sample_weight)


class RootMeanSquaredError(Mean):
    """The root of the mean of the squares of what predictions are off.

    Args:
        name: the name, by default "root_mean_squared_error".
        dtype: the dtype, by default float32.

    Example:
        >>> with td.Graph().as_default():
        ...     so_far = td.keras.metrics.RootMeanSquaredError()([1.0, 2.0], [1.0, 4.0])
        ...     print(td.keras.backend.get_session().run(so_far).round(4))
        1.4142
    """

    def __init__(self, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name or "root_mean_squared_error", dtype)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:  # type: ignore[override]
        """The op that adds a batch."""
        labels, predicted = of_one_rank(cast(y_true, self.dtype), cast(y_pred, self.dtype))
        return super().update_state(square(predicted - labels), sample_weight)

    def result(self) -> Any:
        """The root of the mean, a tensor."""
        return sqrt(super().result())
