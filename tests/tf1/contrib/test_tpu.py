"""Programs for TPUs, on the CPU: TPUEstimator, its configuration, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import tensordraft as td

tpu = td.contrib.tpu


def model_fn(features: Any, labels: Any, mode: str, params: Any) -> Any:
    """A line through the origin; labels are three times the features."""
    assert params["use_tpu"] is False
    slope = td.get_variable("slope", initializer=0.0)
    found = slope * features["x"]
    if mode == td.estimator.ModeKeys.PREDICT:
        size = td.fill([td.shape(found)[0]], params["batch_size"])
        return tpu.TPUEstimatorSpec(mode, predictions={"y": found, "size": size})
    loss = td.losses.mean_squared_error(labels, found)
    sgd = tpu.CrossShardOptimizer(td.train.GradientDescentOptimizer(0.1))
    step = sgd.minimize(loss, td.train.get_or_create_global_step())
    host = td.assign_add(td.get_variable("counter", initializer=0, trainable=False), 1)

    def metrics(labels: Any, found: Any) -> Any:
        return {"error": td.metrics.mean_absolute_error(labels, found)}

    return tpu.TPUEstimatorSpec(
        mode,
        loss=loss,
        train_op=step,
        eval_metrics=(metrics, [labels, found]),
        host_call=(lambda counter: [td.identity(counter)], {"counter": host}),
        scaffold_fn=td.train.Scaffold,
    )


def input_fn(params: Any) -> Any:
    x = np.array([1.0, 2.0, 1.0, 2.0], np.float32)
    return td.data.Dataset.from_tensor_slices(({"x": x}, 3 * x)).batch(params["batch_size"])


def test_an_estimator_learns_tells_and_predicts(tmp_path: Path) -> None:
    config = tpu.RunConfig(model_dir=str(tmp_path), tpu_config=tpu.TPUConfig(iterations_per_loop=5))
    estimator = tpu.TPUEstimator(
        model_fn,
        config=config,
        use_tpu=False,
        train_batch_size=2,
        eval_batch_size=4,
        predict_batch_size=3,
    )
    for _ in range(8):
        estimator.train(input_fn)
    assert estimator.get_variable_value("slope") == pytest.approx(3.0, abs=1e-3)
    assert estimator.get_variable_value("counter") == 16  # the host's function ran with every step
    metrics = estimator.evaluate(input_fn, steps=1)
    assert metrics["global_step"] == 16
    assert metrics["error"] == pytest.approx(0.0, abs=1e-2)
    asked = list(estimator.predict(input_fn))
    assert [int(found["size"]) for found in asked] == [3] * 4
    kept = estimator.config
    assert isinstance(kept, tpu.RunConfig)
    assert kept.tpu_config.iterations_per_loop == 5


def test_batch_sizes_are_parameters_of_hparams_too() -> None:
    params = td.contrib.training.HParams(rate=0.5)

    def model_fn(features: Any, mode: str, params: Any) -> Any:
        return td.estimator.EstimatorSpec(mode, predictions=features * params.rate)

    estimator = tpu.TPUEstimator(model_fn, params=params, use_tpu=False, predict_batch_size=2)
    asked = estimator.predict(lambda params: td.data.Dataset.range(2).map(td.to_float).batch(2))
    assert [float(value) for value in asked] == [0.0, 0.5]
    assert "batch_size" not in params


def test_configurations_say_what_they_were_given() -> None:
    config = tpu.RunConfig(tf_random_seed=3, evaluation_master="there")
    changed = config.replace(save_summary_steps=7)
    assert isinstance(changed, tpu.RunConfig)
    assert (changed.master, changed.evaluation_master, changed.cluster) == ("", "there", None)
    assert (changed.tf_random_seed, changed.save_summary_steps) == (3, 7)


def test_what_needs_a_tpu_is_refused() -> None:
    with pytest.raises(ValueError, match="there are no TPUs here"):
        tpu.TPUEstimator(model_fn)
    with pytest.raises(ValueError, match="cluster must be None"):
        tpu.RunConfig(cluster="mine")
    with pytest.raises(ValueError, match="does not include params"):
        tpu.TPUEstimator(lambda features, mode: None, use_tpu=False)
    with pytest.raises(ValueError, match="params has \\['batch_size'\\]"):
        tpu.TPUEstimator(model_fn, use_tpu=False, params={"batch_size": 3})


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"eval_metrics": [1]}, ValueError, "eval_metrics must be a function and its tensors"),
        ({"eval_metrics": (1, [])}, TypeError, r"eval_metrics\[0\] must be a function"),
        ({"host_call": (len, 1)}, ValueError, r"host_call\[1\] must be a list or a dict"),
    ],
)
def test_pairs_are_checked(given: Any, error: type[Exception], message: str) -> None:
    with td.Graph().as_default(), pytest.raises(error, match=message):
        tpu.TPUEstimatorSpec("infer", predictions=td.zeros([1]), **given).as_estimator_spec()


def test_an_optimizer_of_shards_shows_the_slots_of_its_own() -> None:
    with pytest.raises(TypeError, match="opt must be an Optimizer"):
        tpu.CrossShardOptimizer(cast("Any", 3))
    with td.Graph().as_default():
        x = td.get_variable("x", initializer=1.0)
        inner = td.train.MomentumOptimizer(0.1, 0.9)
        outer = tpu.CrossShardOptimizer(inner)
        outer.minimize(x * x)
        assert outer.get_slot_names() == ["momentum"]
        assert outer.get_slot(x, "momentum") is inner.get_slot(x, "momentum")
        assert outer.variables() == inner.variables()
