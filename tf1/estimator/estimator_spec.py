"""Result of a model function: everything that a run of the model needs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

from ...graph.convert import convert_to_tensor
from ...graph.node import Operation, Tensor
from ...graph.sparse_tensor import SparseTensor
from ...ops.array.reshape import reshape
from ...training.sessions.session_creation import Scaffold
from ...training.sessions.session_run_hook import SessionRunHook
from .export_outputs import with_default
from .model_modes import ModeKeys

public = {"td.estimator": "EstimatorSpec"}


class _Fields(NamedTuple):
    mode: str
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: Any
    export_outputs: Any
    training_chief_hooks: Any
    training_hooks: Any
    scaffold: Any
    evaluation_hooks: Any
    prediction_hooks: Any


class EstimatorSpec(_Fields):
    """Result of a model function.

    Args:
        mode: a ModeKeys.
        predictions: a tensor, or a dict of them: needed to predict.
        loss: a number: needed to train and to evaluate.
        train_op: an op that takes a step: needed to train.
        eval_metric_ops: pairs of values and updates by name, as functions of `td.metrics` return.
        export_outputs: ExportOutputs by name, for models that are exported; by default all
            predictions.
        training_chief_hooks: hooks of training.
        training_hooks: hooks of training.
        scaffold: the ops that the session needs.
        evaluation_hooks: hooks of evaluation.
        prediction_hooks: hooks of prediction.

    Raises:
        ValueError: something that the mode needs is missing, or is of another graph.
        TypeError: something is of another type.

    Example:
        >>> with td.Graph().as_default():
        ...     spec = td.estimator.EstimatorSpec("infer", predictions=td.constant([1.0]))
        ...     sorted(spec.export_outputs)
        ['serving_default']
    """

    __slots__ = ()

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Any = None,
        export_outputs: Any = None,
        training_chief_hooks: Iterable[SessionRunHook] | None = None,
        training_hooks: Iterable[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        evaluation_hooks: Iterable[SessionRunHook] | None = None,
        prediction_hooks: Iterable[SessionRunHook] | None = None,
    ) -> Self:
        """Checks all that is given."""
        if mode == ModeKeys.TRAIN and train_op is None:
            raise ValueError("Missing train_op.")
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL) and loss is None:
            raise ValueError("Missing loss.")
        if mode == ModeKeys.PREDICT and predictions is None:
            raise ValueError("Missing predictions.")
        if train_op is not None and not isinstance(train_op, (Operation, Tensor)):
            train_op = convert_to_tensor(train_op)
        if mode == ModeKeys.PREDICT:
            export_outputs = with_default(export_outputs, predictions)
        if scaffold is not None and not isinstance(scaffold, Scaffold):
            raise TypeError(f"scaffold must be td.train.Scaffold. Given: {scaffold}")
        return super().__new__(
            cls,
            mode,
            _tensors(predictions),
            None if loss is None else _scalar(loss),
            train_op,
            _metrics(eval_metric_ops),
            export_outputs,
            _hooks(training_chief_hooks, "training_chief_hooks"),
            _hooks(training_hooks, "training_hooks"),
            scaffold or Scaffold(),
            _hooks(evaluation_hooks, "evaluation_hooks"),
            _hooks(prediction_hooks, "prediction_hooks"),
        )


def _tensors(predictions: Any) -> Any:
    """The predictions; {} if there are none."""
    argument = predictions if predictions is not None else {}
    named = argument if isinstance(argument, dict) else {"predictions": argument}
    for name, value in named.items():
        if not isinstance(value, (Tensor, SparseTensor)):
            raise TypeError(f"{name} of predictions must be a Tensor, given: {value}")
    return argument


def _scalar(loss: Any) -> Tensor:
    tensor = convert_to_tensor(loss)
    if tensor.shape.num_elements() != 1:
        raise ValueError(f"Loss must be scalar, given: {tensor}")
    return tensor if tensor.shape.rank == 0 else reshape(tensor, [])


def _metrics(argument: Any) -> dict[str, tuple[Any, Any]]:
    if not isinstance(argument, (dict, type(None))):
        raise TypeError(f"eval_metric_ops must be a dict, given: {argument}")
    for name, pair in (argument or {}).items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(
                "Values of eval_metric_ops must be (metric_value, update_op) tuples, given: "
                f"{pair} for key: {name}"
            )
    return argument or {}


def _hooks(argument: Iterable[SessionRunHook] | None, name: str) -> tuple[SessionRunHook, ...]:
    found = tuple(argument or ())
    for hook in found:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"All hooks of {name} must be SessionRunHook instances, given: {hook}")
    return found
