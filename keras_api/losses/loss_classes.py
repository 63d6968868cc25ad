"""Loss classes of Keras: a loss function with its settings, a reduction and a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ops.array.cast import cast
from ...ops.math.reductions import reduce_mean
from . import loss_functions as functions

public = {
    "td.keras.losses": (
        "BinaryCrossentropy CategoricalCrossentropy CategoricalHinge CosineSimilarity Hinge Huber "
        "KLDivergence LogCosh Loss MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredError "
        "MeanSquaredLogarithmicError Poisson SparseCategoricalCrossentropy SquaredHinge"
    )
}


class Loss:
    """Base class of losses: called on labels and predictions, returns the mean loss.

    Args:
        reduction: accepted for TensorFlow's sake: the mean over all examples is taken.
        name: the name.

    Example:
        >>> class Greatest(td.keras.losses.Loss):
        ...     def call(self, y_true, y_pred):
        ...         return td.reduce_max(td.abs(y_true - y_pred), axis=-1)
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(Greatest()(td.constant([[1.0, 2.0]]), td.constant([[1.0, 5.0]])))
        np.float32(3.0)
    """

    def __init__(self, reduction: Any = "auto", name: str | None = None) -> None:
        self.reduction = reduction
        self.name = name

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each example; to be overridden."""
        raise NotImplementedError(f"{type(self).__name__} does not implement call for {y_pred}")

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor arguments of an equal object."""
        return {"reduction": self.reduction, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Creates a loss from the result of `get_config`."""
        return cls(**config)

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The mean loss, where examples may have weights."""
        losses = self.call(y_true, y_pred)
        if sample_weight is not None:
            losses = losses * cast(sample_weight, losses.dtype)
        return reduce_mean(losses)


class LossOfFunction(Loss):
    """Loss given by a function and its settings."""

    def __init__(
        self, function: Callable[..., Any], reduction: Any, name: str, **settings: Any
    ) -> None:
        super().__init__(reduction, name)
        self.function = function
        self._settings = settings

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor arguments of an equal object."""
        return {**super().get_config(), **self._settings}

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """Applies the function to labels and predictions."""
        return self.function(y_true, y_pred, **self._settings)


class Huber(LossOfFunction):
    """Huber loss: quadratic up to `delta`, linear beyond.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.keras.losses.Huber()([[1.0]], [[3.0]]))
        np.float32(1.5)
    """

    def __init__(
        self, delta: float = 1.0, reduction: Any = "auto", name: str = "huber_loss"
    ) -> None:
        super().__init__(functions.huber, reduction, name, delta=delta)


class CategoricalCrossentropy(LossOfFunction):
    """`categorical_crossentropy` as an object.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     loss = td.keras.losses.CategoricalCrossentropy(from_logits=True)
        ...     session.run(loss([[1.0, 0.0]], [[2.0, 2.0]]))
        np.float32(0.6931472)
    """

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        reduction: Any = "auto",
        name: str = "categorical_crossentropy",
    ) -> None:
        function = functions.categorical_crossentropy
        settings = {"from_logits": from_logits, "label_smoothing": label_smoothing}
        super().__init__(function, reduction, name, **settings)


class SparseCategoricalCrossentropy(LossOfFunction):
    """`sparse_categorical_crossentropy` as an object.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     loss = td.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        ...     session.run(loss([1.0], [[2.0, 2.0]]))
        np.float32(0.6931472)
    """

    def __init__(
        self,
        from_logits: bool = False,
        reduction: Any = "auto",
        name: str = "sparse_categorical_crossentropy",
    ) -> None:
        function = functions.sparse_categorical_crossentropy
        super().__init__(function, reduction, name, from_logits=from_logits)


class BinaryCrossentropy(LossOfFunction):
    """`binary_crossentropy` as an object.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     loss = td.keras.losses.BinaryCrossentropy(from_logits=True)
        ...     session.run(loss([[1.0]], [[0.0]]))
        np.float32(0.6931472)
    """

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        reduction: Any = "auto",
        name: str = "binary_crossentropy",
    ) -> None:
        settings = {"from_logits": from_logits, "label_smoothing": label_smoothing}
        super().__init__(functions.binary_crossentropy, reduction, name, **settings)


def _loss_of(cls: str, name: str, fn: Callable[..., Any], summary: str, case: str) -> Any:
    """Creates the loss class of a function.

    Args:
        cls: the name of the class.
        name: the default name of its losses.
        fn: the function of labels and predictions.
        summary: the first line of the docstring.
        case: labels and predictions of the example, and the loss.
    """

    def init(self: Any, reduction: Any = "auto", name: str = name) -> None:
        LossOfFunction.__init__(self, fn, reduction, name)

    data, _, result = case.partition(" -> ")
    doc = (
        f"{summary}\n\n    Args:\n        reduction: accepted for TensorFlow's sake: the mean over "
        f"all examples is taken.\n        name: the name, by default {name!r}.\n\n"
        "    Example:\n        >>> import tensordraft as td\n"
        "        >>> with td.Graph().as_default(), td.Session() as session:\n"
        f"        ...     print(session.run(td.keras.losses.{cls}()({data})).round(4))\n"
        f"        {result}\n    "
    )
    members = {"__init__": init, "__doc__": doc, "__module__": __name__}
    return type(cls, (LossOfFunction,), members)


MeanSquaredError = _loss_of(
    "MeanSquaredError",
    "mean_squared_error",
    functions.mean_squared_error,
    "Mean squared error.",
    "[[1.0]], [[3.0]] -> 4.0",
)
MeanAbsoluteError = _loss_of(
    "MeanAbsoluteError",
    "mean_absolute_error",
    functions.mean_absolute_error,
    "Mean absolute error.",
    "[[1.0]], [[3.0]] -> 2.0",
)
Hinge = _loss_of(
    "Hinge",
    "hinge",
    functions.hinge,
    "Hinge loss, for labels of -1 and 1.",
    "[[1.0], [-1.0]], [[0.5], [-2.0]] -> 0.25",
)
SquaredHinge = _loss_of(
    "SquaredHinge",
    "squared_hinge",
    functions.squared_hinge,
    "Squared hinge loss, for labels of -1 and 1.",
    "[[1.0], [-1.0]], [[0.5], [-2.0]] -> 0.125",
)
CategoricalHinge = _loss_of(
    "CategoricalHinge",
    "categorical_hinge",
    functions.categorical_hinge,
    "Categorical hinge loss: `max(0, other - right + 1)`, with the greatest other prediction.",
    "[[0.0, 1.0]], [[0.5, 1.0]] -> 0.5",
)
MeanAbsolutePercentageError = _loss_of(
    "MeanAbsolutePercentageError",
    "mean_absolute_percentage_error",
    functions.mean_absolute_percentage_error,
    "Mean absolute percentage error.",
    "[[1.0], [2.0]], [[1.0], [3.0]] -> 25.0",
)
MeanSquaredLogarithmicError = _loss_of(
    "MeanSquaredLogarithmicError",
    "mean_squared_logarithmic_error",
    functions.mean_squared_logarithmic_error,
    "Mean squared logarithmic error, of `log(1 + x)`.",
    "[[0.0], [1.0]], [[0.0], [3.0]] -> 0.2402",
)
LogCosh = _loss_of(
    "LogCosh",
    "logcosh",
    functions.logcosh,
    "Mean logarithm of the hyperbolic cosine of the error.",
    "[[0.0]], [[1.0]] -> 0.4338",
)
Poisson = _loss_of(
    "Poisson",
    "poisson",
    functions.poisson,
    "Poisson loss: the mean of `predictions - labels * log(predictions)`.",
    "[[1.0], [2.0]], [[1.0], [3.0]] -> 0.9014",
)
KLDivergence = _loss_of(
    "KLDivergence",
    "kullback_leibler_divergence",
    functions.kullback_leibler_divergence,
    "Kullback–Leibler divergence of predictions from labels.",
    "[[0.5, 0.5]], [[0.25, 0.75]] -> 0.1438",
)
CosineSimilarity = _loss_of(
    "CosineSimilarity",
    "cosine_similarity",
    functions.cosine_proximity,
    "Negated cosine similarity of labels and predictions.",
    "[[0.0, 1.0]], [[1.0, 1.0]] -> -0.7071",
)
