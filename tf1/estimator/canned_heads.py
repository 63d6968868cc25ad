"""Heads of models: classification or regression, with losses and metrics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...graph.convert import convert_to_tensor
from ...graph.default_graph import get_default_graph
from ...graph.default_scopes import control_dependencies, name_scope
from ...graph.node import Tensor
from ...graph.scopes.collections import GraphKeys
from ...ops.array.broadcast import broadcast_to
from ...ops.array.cast import cast
from ...ops.array.concat import concat
from ...ops.array.constants import constant, zeros_like
from ...ops.array.reshape import expand_dims
from ...ops.array.shapes import shape
from ...ops.array.stack import stack
from ...ops.math.add_n import add_n
from ...ops.math.argmax import argmax
from ...ops.math.arithmetic import maximum, subtract
from ...ops.math.exponentials import sigmoid
from ...ops.nn.activations import softmax
from ...ops.strings.as_string import as_string
from ...ops.summaries.scalars_and_histograms import scalar
from ...ops.tables.index_tables import index_table_from_tensor, index_to_string_table_from_tensor
from ...protos.dtypes import float32, int64, string
from ...training.feature_columns.column_kinds import Features
from ...training.losses.cross_entropies import sigmoid_cross_entropy, sparse_softmax_cross_entropy
from ...training.losses.regression import mean_squared_error
from ...training.losses.weighted_loss import (
    Reduction,
    compute_weighted_loss,
    get_regularization_losses,
)
from ...training.metrics.auc import auc
from ...training.metrics.means import accuracy, mean
from ...training.metrics.truth_counts import precision, recall
from .estimator_spec import EstimatorSpec
from .export_outputs import ClassificationOutput, PredictOutput, RegressionOutput
from .model_modes import ModeKeys

Metrics = dict[str, tuple[Any, Any]]


class Judged(NamedTuple):
    """Labels as numbers, the loss of each example, and its weight."""

    labels: Tensor
    losses: Tensor
    weights: Any


class Head(ABC):
    """Head of a model.

    Args:
        weight_column: the name of the feature with the weights of examples; None for 1 each.
        loss_reduction: how the losses of a batch become one: of `td.losses.Reduction`.
    """

    size = 1

    def __init__(self, weight_column: Any, loss_reduction: str) -> None:
        self._weight = getattr(weight_column, "name", weight_column)
        self._reduction = loss_reduction

    @abstractmethod
    def predictions(self, logits: Tensor) -> dict[str, Tensor]:
        """Predictions, by name."""

    @abstractmethod
    def exports(self, predicted: dict[str, Tensor]) -> dict[str, Any]:
        """Export outputs of the model."""

    @abstractmethod
    def judged(self, labels: Any, logits: Tensor, weights: Any) -> Judged:
        """The losses of examples."""

    @abstractmethod
    def metrics(self, predicted: dict[str, Tensor], judged: Judged) -> Metrics:
        """Evaluation metrics of the model."""

    def spec(
        self, features: Mapping[str, Any], mode: str, logits: Tensor, labels: Any, train: Any
    ) -> EstimatorSpec:
        """All that a run of a model needs.

        Args:
            features: the features.
            mode: a ModeKeys.
            logits: the results.
            labels: the labels; None for predictions.
            train: a function from the loss to the training op.
        """
        with name_scope("head"):
            predicted = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(mode, predicted, export_outputs=self.exports(predicted))
            if labels is None:
                raise ValueError("input_fn returned no labels, which training and evaluation need")
            weights: Any = 1.0
            if self._weight is not None:
                weights = cast(Features(features).of(self._weight), float32)
            judged = self.judged(labels, logits, weights)
            loss = compute_weighted_loss(judged.losses, judged.weights, reduction=self._reduction)
            extra = get_regularization_losses()
            total = add_n([loss, *extra]) if extra else loss
            average = {"average_loss": mean(judged.losses, judged.weights)}
            if mode == ModeKeys.EVAL:
                return EstimatorSpec(
                    mode, predicted, total, None, {**average, **self.metrics(predicted, judged)}
                )
            with control_dependencies(get_default_graph().get_collection(GraphKeys.UPDATE_OPS)):
                step = train(total)
        scalar("loss", total)
        return EstimatorSpec(mode, predicted, total, step)


def _column(labels: Any, logits: Tensor) -> Tensor:
    """Labels as a column: one for each example.

    Raises:
        ValueError: they have another shape.
    """
    tensor = convert_to_tensor(labels)
    if tensor.shape.rank == (logits.shape.rank or 2) - 1:
        tensor = expand_dims(tensor, -1)
    if tensor.shape.rank != 2:
        raise ValueError(f"labels must have shape [examples] or [examples, n], got {tensor.shape}")
    return tensor


class _Classes(Head):
    """Label classes, optionally with names."""

    def __init__(
        self, classes: int, weight_column: Any, names: Sequence[str] | None, reduction: str
    ) -> None:
        super().__init__(weight_column, reduction)
        self._number = classes
        self._names = None if names is None else list(names)
        if self._names is not None and len(self._names) != classes:
            raise ValueError(
                f"Length of label_vocabulary must be n_classes: {len(self._names)} and {classes}"
            )

    def _with_classes(self, predicted: dict[str, Tensor], scores: Tensor) -> dict[str, Tensor]:
        ids = expand_dims(argmax(scores, -1), -1)
        rows = shape(scores)[0]
        every = self._names or [str(number) for number in range(self._number)]
        if self._names is None:
            classes = as_string(ids)
        else:
            classes = index_to_string_table_from_tensor(self._names, name="class_string").lookup(
                ids
            )
        sizes = stack([rows, self._number])
        return {
            **predicted,
            "probabilities": scores,
            "class_ids": ids,
            "classes": classes,
            "all_class_ids": broadcast_to(constant([*range(self._number)]), sizes),
            "all_classes": broadcast_to(constant(every), sizes),
        }

    def exports(self, predicted: dict[str, Tensor]) -> dict[str, Any]:
        """Classes with their scores, and all predictions."""
        classes = ClassificationOutput(predicted["probabilities"], predicted["all_classes"])
        made = {"serving_default": classes, "classification": classes}
        if "logistic" in predicted:
            made |= {"regression": RegressionOutput(predicted["logistic"])}  # type: ignore[dict-item]
        return {**made, "predict": PredictOutput(predicted)}

    def _ids(self, labels: Any, logits: Tensor) -> Tensor:
        tensor = _column(labels, logits)
        if (tensor.dtype == string) != (self._names is not None):
            raise ValueError(
                f"labels of strings need a label_vocabulary, and it strings; got {tensor.dtype}"
            )
        if self._names is None:
            return tensor
        return index_table_from_tensor(self._names, name="class_id_lookup").lookup(tensor)


class ManyClasses(_Classes):
    """One of several classes."""

    def __init__(
        self, classes: int, weight_column: Any, names: Sequence[str] | None, reduction: str
    ) -> None:
        super().__init__(classes, weight_column, names, reduction)
        self.size = classes

    def predictions(self, logits: Tensor) -> dict[str, Tensor]:
        """Logits, probabilities, classes."""
        return self._with_classes({"logits": logits}, softmax(logits))

    def judged(self, labels: Any, logits: Tensor, weights: Any) -> Judged:
        """The cross entropies."""
        ids = cast(self._ids(labels, logits), int64)
        losses = sparse_softmax_cross_entropy(ids, logits, reduction=Reduction.NONE)
        if losses.shape.rank == 1:
            losses = expand_dims(losses, -1)
        return Judged(ids, losses, weights)

    def metrics(self, predicted: dict[str, Tensor], judged: Judged) -> Metrics:
        """The accuracy."""
        weights = _spread(judged)
        return {"accuracy": accuracy(judged.labels, predicted["class_ids"], weights, "accuracy")}


def _spread(judged: Judged) -> Any:
    """The weights; None if all are 1."""
    return None if isinstance(judged.weights, float) else judged.weights


class TwoClasses(_Classes):
    """One of two classes, by one logit."""

    def predictions(self, logits: Tensor) -> dict[str, Tensor]:
        """The logit, the probability of the second class, probabilities, classes."""
        both = concat([zeros_like(logits), logits], -1)
        predicted = {"logits": logits, "logistic": sigmoid(logits)}
        return self._with_classes(predicted, softmax(both))

    def judged(self, labels: Any, logits: Tensor, weights: Any) -> Judged:
        """The cross entropies."""
        numbers = cast(self._ids(labels, logits), float32)
        losses = sigmoid_cross_entropy(numbers, logits, reduction=Reduction.NONE)
        return Judged(numbers, losses, weights)

    def metrics(self, predicted: dict[str, Tensor], judged: Judged) -> Metrics:
        """Accuracy, precision, recall, areas below curves, and means."""
        labels, weights = judged.labels, _spread(judged)
        ids, chance = predicted["class_ids"], predicted["logistic"]
        share, share_update = mean(labels, weights)
        return {
            "accuracy": accuracy(labels, ids, weights, "accuracy"),
            "precision": precision(labels, ids, weights, "precision"),
            "recall": recall(labels, ids, weights, "recall"),
            "prediction/mean": mean(chance, weights),
            "label/mean": (share, share_update),
            "accuracy_baseline": (
                maximum(share, subtract(1.0, share)),
                maximum(share_update, subtract(1.0, share_update)),
            ),
            "auc": auc(labels, chance, weights),
            "auc_precision_recall": auc(labels, chance, weights, curve="PR"),
        }


class Numbers(Head):
    """Numbers.

    Args:
        size: how many of them an example has.
        weight_column: as for Head.
        reduction: as for Head.
    """

    def __init__(self, size: int, weight_column: Any, reduction: str) -> None:
        super().__init__(weight_column, reduction)
        self.size = size

    def predictions(self, logits: Tensor) -> dict[str, Tensor]:
        """The numbers."""
        return {"predictions": logits}

    def exports(self, predicted: dict[str, Tensor]) -> dict[str, Any]:
        """The numbers."""
        numbers = RegressionOutput(predicted["predictions"])
        outputs = {"serving_default": numbers, "regression": numbers}
        return {**outputs, "predict": PredictOutput(predicted)}

    def judged(self, labels: Any, logits: Tensor, weights: Any) -> Judged:
        """The squares of errors."""
        numbers = cast(_column(labels, logits), float32)
        losses = mean_squared_error(numbers, logits, reduction=Reduction.NONE)
        return Judged(numbers, losses, weights)

    def metrics(self, predicted: dict[str, Tensor], judged: Judged) -> Metrics:
        """The means of predictions and labels."""
        weights = _spread(judged)
        return {
            "prediction/mean": mean(predicted["predictions"], weights),
            "label/mean": mean(judged.labels, weights),
        }


def classes_head(
    n_classes: int, weight_column: Any, names: Sequence[str] | None, reduction: str
) -> Head:
    """The head of a classifier.

    Raises:
        ValueError: there are fewer than two classes.
    """
    if n_classes < 2:
        raise ValueError(f"n_classes must be 2 or more, got {n_classes}")
    kind = TwoClasses if n_classes == 2 else ManyClasses
    return kind(n_classes, weight_column, names, reduction)
