"""Metrics over two batches, beside the numbers that TensorFlow 2.21 gave for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

CLASSES = (np.array([[0, 1, 2, 1], [2, 2, 0, 1]]), np.array([[0, 2, 2, 1], [2, 1, 0, 0]]))
TRUTH = np.array([[0, 1, 1, 0], [1, 1, 0, 0]])
GUESSES = np.array([[0, 1, 0, 1], [1, 1, 0, 1]])
CHANCES = np.array([[0.5, 0.25, 0.9, 0.1], [0.8, 0.3, 0.7, 0.2]], "f")
WEIGHTS = np.array([1, 0.5, 2, 0], "f")

# The value after each batch without weights, and the last one with them.
RECORDED: list[tuple[str, Any, Any, float, float, float]] = [
    ("accuracy", *CLASSES, 0.75, 0.625, 0.8571428656578064),
    ("mean_absolute_error", TRUTH, CHANCES, 0.36250001192092896, 0.40625, 0.43214288353919983),
    ("mean_squared_error", TRUTH, CHANCES, 0.20812499523162842, 0.23656249046, 0.259464293718338),
    ("root_mean_squared_error", TRUTH, CHANCES, 0.45620718598, 0.48637691140, 0.50937640666),
    ("precision", TRUTH, GUESSES, 0.5, 0.6000000238418579, 1.0),
    ("recall", TRUTH, GUESSES, 0.5, 0.75, 0.5),
    ("true_positives", TRUTH, GUESSES, 1, 3, 2),
    ("true_negatives", TRUTH, GUESSES, 1, 2, 3),
    ("false_positives", TRUTH, GUESSES, 1, 2, 0),
    ("false_negatives", TRUTH, GUESSES, 1, 1, 2),
    ("auc", TRUTH, CHANCES, 0.7499997615814209, 0.7499998807907104, 0.7499998211860657),
    ("mean_per_class_accuracy", *CLASSES, 0.8333333134651184, 0.6666666865348816, 0.6190476417),
    ("mean_iou", *CLASSES, 0.6666666865348816, 0.472222238779068, 0.5833333134651184),
    ("mean", None, CHANCES, 0.4375, 0.46875, 0.6821427941322327),
    ("percentage_below", None, CHANCES, 0.5, 0.5, 0.1428571492433548),
]
FURTHER: dict[str, dict[str, Any]] = {
    "mean_per_class_accuracy": {"num_classes": 3},
    "mean_iou": {"num_classes": 3},
    "percentage_below": {"threshold": 0.5},
}


def after(name: str, labels: Any, values: Any, weights: Any) -> list[Any]:
    """The value of a metric before any batch, and after each."""
    with td.Graph().as_default(), td.Session() as session:
        batches = [batches for batches in (labels, values) if batches is not None]
        places = [td.placeholder(batch.dtype, [None]) for batch in batches]
        args = [td.cast(place, td.float32) if name.endswith("error") else place for place in places]
        value, update = getattr(td.metrics, name)(*args, weights=weights, **FURTHER.get(name, {}))
        assert td.local_variables() == td.get_collection(td.GraphKeys.METRIC_VARIABLES) != []
        assert td.trainable_variables() == td.global_variables() == []
        session.run(td.local_variables_initializer())
        found: list[Any] = [session.run(value)]
        for fed in zip(*batches, strict=True):
            session.run(update, dict(zip(places, fed, strict=True)))
            found.append(session.run(value))
    return found


@pytest.mark.parametrize(("name", "labels", "values", "first", "second", "weighted"), RECORDED)
def test_recorded_numbers(
    name: str, labels: Any, values: Any, first: float, second: float, weighted: float
) -> None:
    found = after(name, labels, values, None)
    np.testing.assert_allclose(found, [0, first, second], rtol=1e-6)
    assert found[-1].dtype == np.float32
    np.testing.assert_allclose(after(name, labels, values, WEIGHTS)[-1], weighted, rtol=1e-6)


def test_names_and_collections() -> None:
    with td.Graph().as_default():
        listed = td.metrics.precision([1], [1], None, ["values"], "updates")
        assert [tensor.name for tensor in listed] == ["precision/value:0", "precision/update_op:0"]
        assert td.get_collection("values") == [listed[0]]
        assert td.get_collection("updates") == [listed[1]]
        td.metrics.mean_tensor([1.0, 2.0], name="each")
        assert [variable.op.name for variable in td.local_variables()] == [
            "precision/true_positives/count",
            "precision/false_positives/count",
            "each/total_tensor",
            "each/count_tensor",
        ]


def test_a_last_dimension_of_one_is_dropped() -> None:
    with td.Graph().as_default(), td.Session() as session:
        _, update = td.metrics.accuracy([[1], [2]], [1, 3], weights=[[1.0], [3.0]])
        session.run(td.local_variables_initializer())
        assert session.run(update) == 0.25


def test_what_does_not_fit() -> None:
    with td.Graph().as_default():
        with pytest.raises(ValueError, match=r"equal shapes, got \(3,\) and \(2,\)"):
            td.metrics.accuracy([1, 2, 3], [1, 2])
        with pytest.raises(ValueError, match=r"weights of shape \(1, 1, 2\) do not fit"):
            td.metrics.mean([1.0], [[[1.0, 2.0]]])
        with pytest.raises(ValueError, match="curve must be one of ROC, PR, got 'roc'"):
            td.metrics.auc([1], [0.5], curve="roc")


def test_precision_over_recall() -> None:
    with td.Graph().as_default(), td.Session() as session:
        _, update = td.metrics.auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], curve="PR")
        session.run(td.local_variables_initializer())
        np.testing.assert_allclose(session.run(update), 0.7916663, rtol=1e-6)
