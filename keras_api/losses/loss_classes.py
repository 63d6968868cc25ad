"""The losses of Keras as objects that need nothing but a reduction and a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import keras_losses as plain, more_keras_losses as further
from .more_keras_losses import LossOfFunction

public = {
    "td.keras.losses": (
        "CategoricalHinge CosineSimilarity Hinge KLDivergence LogCosh MeanAbsolutePercentageError "
        "MeanSquaredLogarithmicError Poisson SquaredHinge"
    )
}


def _loss_of(cls: str, name: str, fn: Callable[..., Any], summary: str, case: str) -> Any:
    """The class of a function.

    Args:
        cls: the name of the class.
        name: what its losses are called by default.
        fn: the function of labels and predictions.
        summary: what it tells.
        case: labels and predictions of the example, and what comes of them.
    """

    def init(self: Any, reduction: Any = "auto", name: str = name) -> None:
        LossOfFunction.__init__(self, fn, reduction, name)

    data, _, found = case.partition(" -> ")
    doc = (
        f"{summary}\n\n    Args:\n        reduction: accepted for TensorFlow's sake: the mean over "
        f"all examples is taken.\n        name: the name, by default {name!r}.\n\n"
        "    Example:\n        >>> import tensordraft as td\n"
        "        >>> with td.Graph().as_default(), td.Session() as session:\n"
        f"        ...     print(session.run(td.keras.losses.{cls}()({data})).round(4))\n"
        f"        {found}\n    "
    )
    members = {"__init__": init, "__doc__": doc, "__module__": __name__}
    return type(cls, (LossOfFunction,), members)


Hinge = _loss_of(
    "Hinge",
    "hinge",
    plain.hinge,
    "By how much predictions lack 1 on the side of labels of -1 and 1.",
    "[[1.0], [-1.0]], [[0.5], [-2.0]] -> 0.25",
)
SquaredHinge = _loss_of(
    "SquaredHinge",
    "squared_hinge",
    plain.squared_hinge,
    "The squares of by how much predictions lack 1 on the side of labels of -1 and 1.",
    "[[1.0], [-1.0]], [[0.5], [-2.0]] -> 0.125",
)
CategoricalHinge = _loss_of(
    "CategoricalHinge",
    "categorical_hinge",
    further.categorical_hinge,
    "By how much the greatest other prediction exceeds that of the label less 1.",
    "[[0.0, 1.0]], [[0.5, 1.0]] -> 0.5",
)
MeanAbsolutePercentageError = _loss_of(
    "MeanAbsolutePercentageError",
    "mean_absolute_percentage_error",
    plain.mean_absolute_percentage_error,
    "The mean of what predictions are off, in hundredths of the labels.",
    "[[1.0], [2.0]], [[1.0], [3.0]] -> 25.0",
)
MeanSquaredLogarithmicError = _loss_of(
    "MeanSquaredLogarithmicError",
    "mean_squared_logarithmic_error",
    plain.mean_squared_logarithmic_error,
    "The mean of the squares of what the logarithms of 1 and predictions are off.",
    "[[0.0], [1.0]], [[0.0], [3.0]] -> 0.2402",
)
LogCosh = _loss_of(
    "LogCosh",
    "logcosh",
    further.logcosh,
    "The mean of the logarithms of the hyperbolic cosine of what predictions are off.",
    "[[0.0]], [[1.0]] -> 0.4338",
)
Poisson = _loss_of(
    "Poisson",
    "poisson",
    plain.poisson,
    "The mean of predictions less labels times their logarithms.",
    "[[1.0], [2.0]], [[1.0], [3.0]] -> 0.9014",
)
KLDivergence = _loss_of(
    "KLDivergence",
    "kullback_leibler_divergence",
    plain.kullback_leibler_divergence,
    "The divergence of Kullback and Leibler of predictions from labels.",
    "[[0.5, 0.5]], [[0.25, 0.75]] -> 0.1438",
)
CosineSimilarity = _loss_of(
    "CosineSimilarity",
    "cosine_similarity",
    further.cosine_proximity,
    "The cosine of the angle between labels and predictions, negated.",
    "[[0.0, 1.0]], [[1.0, 1.0]] -> -0.7071",
)
