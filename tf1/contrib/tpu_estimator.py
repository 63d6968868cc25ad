"""Estimators of programs for TPUs, run on the CPU."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from ...ops.common.nest import flatten
from ...training.sessions.session_run_hook import SessionRunArgs, SessionRunHook
from ..estimator.estimator import Estimator
from ..estimator.estimator_spec import EstimatorSpec
from ..estimator.input_functions import argument_names
from ..estimator.model_modes import ModeKeys
from .tpu_config import TPURunConfig

public = {"td.contrib.tpu, td.estimator.tpu": "TPUEstimator TPUEstimatorSpec"}

_OURS = ("batch_size", "use_tpu")


class TPUEstimatorSpec(NamedTuple):
    """Result of a model function, with functions instead of an EstimatorSpec's tensors.

    Args:
        mode: a ModeKeys.
        predictions: as for EstimatorSpec.
        loss: as for EstimatorSpec.
        train_op: as for EstimatorSpec.
        eval_metrics: a function that returns metrics, and its arguments: a list of tensors, or a
            dict of them.
        export_outputs: as for EstimatorSpec.
        scaffold_fn: gives a Scaffold.
        host_call: a function that writes summaries, and its arguments.
        training_hooks: hooks of training.
        evaluation_hooks: hooks of evaluation.
        prediction_hooks: hooks of prediction.

    Example:
        >>> with td.Graph().as_default():
        ...     spec = td.contrib.tpu.TPUEstimatorSpec("infer", predictions=td.constant([1.0]))
        ...     spec.as_estimator_spec().mode
        'infer'
    """

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metrics: Any = None
    export_outputs: Any = None
    scaffold_fn: Callable[[], Any] | None = None
    host_call: Any = None
    training_hooks: Any = None
    evaluation_hooks: Any = None
    prediction_hooks: Any = None

    def as_estimator_spec(self) -> EstimatorSpec:
        """Converts it to an EstimatorSpec by calling its functions."""
        _check_pair("eval_metrics", self.eval_metrics)
        _check_pair("host_call", self.host_call)
        host = [] if self.host_call is None else [_RunsWith(_called(self.host_call))]
        return EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=None if self.eval_metrics is None else _called(self.eval_metrics),
            export_outputs=self.export_outputs,
            training_hooks=[*(self.training_hooks or ()), *host],
            evaluation_hooks=[*(self.evaluation_hooks or ()), *host],
            prediction_hooks=[*(self.prediction_hooks or ()), *host],
            scaffold=None if self.scaffold_fn is None else self.scaffold_fn(),
        )


def _check_pair(argument: str, given: Any) -> None:
    """Checks that a value is a function and its arguments."""
    if given is None:
        return
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ValueError(f"{argument} must be a function and its tensors, got {given!r}")
    if not callable(given[0]):
        raise TypeError(f"{argument}[0] must be a function, got {given[0]!r}")
    if not isinstance(given[1], (tuple, list, dict)):
        raise ValueError(f"{argument}[1] must be a list or a dict of tensors, got {given[1]!r}")


def _called(pair: Any) -> Any:
    """Calls a function with a list or a dict of arguments."""
    function, tensors = pair
    return function(**tensors) if isinstance(tensors, dict) else function(*tensors)


class _RunsWith(SessionRunHook):
    """A hook that runs ops with every step."""

    def __init__(self, fetched: Any) -> None:
        self._fetched = flatten(fetched)

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Asks for it."""
        return SessionRunArgs(self._fetched)


class TPUEstimator(Estimator):
    """An Estimator that passes the batch size as `params["batch_size"]`.

    Programs for TPUs run with `use_tpu` set to False, as there are no TPUs.

    Args:
        model_fn: gives a TPUEstimatorSpec or an EstimatorSpec; it takes `params`.
        model_dir: the folder of checkpoints; by default that of the configuration.
        config: a RunConfig, such as `td.contrib.tpu.RunConfig`.
        params: a dict that functions get; "batch_size" and "use_tpu" are added.
        use_tpu: False.
        train_batch_size: the size of batches of training.
        eval_batch_size: the size of batches of evaluation.
        predict_batch_size: the size of batches of prediction.
        batch_axis: accepted for TensorFlow's sake.
        eval_on_tpu: accepted for TensorFlow's sake.
        export_to_tpu: accepted for TensorFlow's sake.
        export_to_cpu: accepted for TensorFlow's sake.
        warm_start_from: as for `td.estimator.Estimator`.
        kwargs: arguments of later versions of TensorFlow; ignored.

    Raises:
        ValueError: a TPU is requested, the function takes no `params`, or `params` has one of the
            names that are added.

    Example:
        >>> def model_fn(features, labels, mode, params):
        ...     predictions = {"sum": td.reduce_sum(features, keepdims=True)}
        ...     return td.contrib.tpu.TPUEstimatorSpec(mode, predictions=predictions)
        >>> def input_fn(params):
        ...     return td.data.Dataset.range(4).batch(params["batch_size"])
        >>> estimator = td.contrib.tpu.TPUEstimator(
        ...     model_fn, use_tpu=False, train_batch_size=4, predict_batch_size=2
        ... )
        >>> [int(found["sum"]) for found in estimator.predict(input_fn)]
        [1, 5]
    """

    def __init__(
        self,
        model_fn: Callable[..., Any],
        model_dir: str | os.PathLike[str] | None = None,
        config: Any = None,
        params: Any = None,
        use_tpu: bool = True,
        train_batch_size: int | None = None,
        eval_batch_size: int | None = None,
        predict_batch_size: int | None = None,
        batch_axis: Any = None,
        eval_on_tpu: bool = True,
        export_to_tpu: bool = True,
        export_to_cpu: bool = True,
        warm_start_from: Any = None,
        **kwargs: Any,
    ) -> None:
        if use_tpu:
            raise ValueError("use_tpu = True, but there are no TPUs here: use_tpu=False trains")
        if "params" not in argument_names(model_fn):
            raise ValueError(
                f"model_fn ({model_fn}) does not include params argument, in which it gets its "
                'batch size, as params["batch_size"]'
            )
        if taken := [name for name in _OURS if name in (params or {})]:
            raise ValueError(f"params has {taken}, which are added to it: leave them out")
        self._sizes = {
            ModeKeys.TRAIN: train_batch_size,
            ModeKeys.EVAL: eval_batch_size,
            ModeKeys.PREDICT: predict_batch_size,
        }
        super().__init__(model_fn, model_dir, config or TPURunConfig(), params, warm_start_from)

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: Any) -> Any:
        spec = super()._call_model_fn(features, labels, mode, config)
        return spec.as_estimator_spec() if isinstance(spec, TPUEstimatorSpec) else spec

    def _params_of(self, mode: str) -> Any:
        params = super()._params_of(mode)
        size = self._sizes[mode]
        added = {"use_tpu": False} | ({} if size is None else {"batch_size": size})
        for name, value in added.items():
            if hasattr(params, "add_hparam"):
                params.add_hparam(name, value)
            else:
                params[name] = value
        return params
