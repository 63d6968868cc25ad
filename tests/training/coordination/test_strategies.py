"""Strategies for several devices: one replica, and contexts as TensorFlow 1.15 tells them."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td

DISTRIBUTE = td.distribute


def test_contexts_are_those_of_tensorflow() -> None:
    def where() -> tuple[bool, bool, bool]:
        return (
            DISTRIBUTE.has_strategy(),
            DISTRIBUTE.in_cross_replica_context(),
            DISTRIBUTE.get_replica_context() is not None,
        )

    strategy = DISTRIBUTE.MirroredStrategy(["/gpu:0", "/gpu:1"])
    assert where() == (False, False, True)
    with strategy.scope() as entered:
        assert entered is strategy is DISTRIBUTE.get_strategy()
        assert where() == (True, True, False)
        assert strategy.experimental_run_v2(where) == (True, False, True)
        others: list[tuple[bool, bool, bool]] = []
        thread = threading.Thread(target=lambda: others.append(where()))
        thread.start()
        thread.join()
        assert others == [(False, False, True)]

        def merges() -> Any:
            context: Any = DISTRIBUTE.get_replica_context()
            return context.merge_call(lambda given, x, y: (given, where(), x, y), [1], {"y": 2})

        assert strategy.run(merges) == (strategy, (True, True, False), 1, 2)
        with pytest.raises(ZeroDivisionError):
            strategy.run(lambda: 1 // 0)
        assert where() == (True, True, False)
    assert where() == (False, False, True)
    assert DISTRIBUTE.get_strategy() is DISTRIBUTE.get_strategy()


def test_a_strategy_can_be_set_for_good() -> None:
    strategy = td.contrib.distribute.OneDeviceStrategy("/cpu:0")
    DISTRIBUTE.experimental_set_strategy(strategy)
    try:
        assert DISTRIBUTE.get_strategy() is strategy
        with DISTRIBUTE.MirroredStrategy().scope():
            DISTRIBUTE.experimental_set_strategy(None)
            assert not DISTRIBUTE.has_strategy()
        assert DISTRIBUTE.get_strategy() is strategy
    finally:
        DISTRIBUTE.experimental_set_strategy(None)
    assert not DISTRIBUTE.has_strategy()


def test_a_step_of_training_is_that_of_one_device() -> None:
    strategy = DISTRIBUTE.MirroredStrategy()
    with td.Graph().as_default(), td.Session() as session, strategy.scope():
        v = td.get_variable("v", initializer=2.0)
        rows = strategy.make_dataset_iterator(
            td.data.Dataset.from_tensor_slices([1.0, 3.0]).batch(2)
        )

        def step(x: Any) -> Any:
            context: Any = DISTRIBUTE.get_replica_context()
            loss = td.reduce_mean(td.square(x * v)) / context.num_replicas_in_sync
            update = td.train.GradientDescentOptimizer(0.1).minimize(loss)
            with td.control_dependencies([update]):
                return td.identity(context.all_reduce(DISTRIBUTE.ReduceOp.SUM, loss))

        loss = strategy.reduce("SUM", strategy.experimental_run_v2(step, [rows.get_next()]))
        more = strategy.extended.update(v, lambda var, x: var.assign_add(x), [1.0])
        session.run([v.initializer, *rows.initialize()])
        assert session.run(loss) == 20.0
        assert session.run(v) == 0.0
        session.run(more)
        assert session.run(v) == 1.0


def test_values_of_replicas() -> None:
    strategy = td.distribute.experimental.ParameterServerStrategy()
    with td.Graph().as_default(), td.Session() as session:
        x = td.constant([[1.0, 2.0], [3.0, 5.0]])
        assert strategy.reduce(DISTRIBUTE.ReduceOp.MEAN, x) is x
        assert session.run(strategy.reduce("MEAN", x, axis=0)).tolist() == [2.0, 3.5]
        assert session.run(strategy.reduce("SUM", x, axis=1)).tolist() == [3.0, 8.0]
        assert strategy.reduce_to("SUM", x, "/cpu:0") is strategy.broadcast_to(x, ["/gpu:0"]) is x
        assert strategy.experimental_local_results(x) == (x,)
        assert strategy.unwrap(x) == [strategy.group(x)] == [x]
        with pytest.raises(ValueError, match="reduce_op must be 'SUM' or 'MEAN', got 'MAX'"):
            strategy.reduce("MAX", x)
        number = DISTRIBUTE.ReplicaContext(strategy, 0).replica_id_in_sync_group
        assert session.run(number) == 0


def test_inputs_are_for_the_one_replica() -> None:
    strategy = DISTRIBUTE.MirroredStrategy()
    asked: list[int] = []

    def batches(context: Any) -> td.data.Dataset:
        asked.append(context.get_per_replica_batch_size(4))
        return td.data.Dataset.range(4).batch(asked[-1])

    with td.Graph().as_default(), td.Session() as session:
        iterator = strategy.make_input_fn_iterator(batches)
        session.run(iterator.initialize())
        assert session.run(iterator.get_next()).tolist() == [0, 1, 2, 3]
        rows = strategy.experimental_make_numpy_dataset(np.arange(2))
        assert strategy.experimental_distribute_dataset(rows) is rows
        assert rows.output_types == td.int64
    assert asked == [4]
    with pytest.raises(ValueError, match="must be a multiple of num_replicas_in_sync = 3, got 4"):
        DISTRIBUTE.InputContext(3, 0, 3).get_per_replica_batch_size(4)


def test_estimators_build_models_in_their_strategies(tmp_path: Path) -> None:
    seen: dict[str, tuple[Any, bool]] = {}

    def model(features: Any, mode: str) -> td.estimator.EstimatorSpec:
        seen[mode] = (DISTRIBUTE.get_strategy(), DISTRIBUTE.in_cross_replica_context())
        loss = td.reduce_mean(features * td.get_variable("v", initializer=2.0))
        step = td.train.GradientDescentOptimizer(0.1).minimize(loss, td.train.get_global_step())
        return td.estimator.EstimatorSpec(mode, predictions=features, loss=loss, train_op=step)

    one, other = DISTRIBUTE.MirroredStrategy(), DISTRIBUTE.OneDeviceStrategy("/cpu:0")
    both = td.contrib.distribute.DistributeConfig(one, other)
    config = td.estimator.RunConfig(str(tmp_path), experimental_distribute=both)
    estimator = td.estimator.Estimator(model, config=config)
    estimator.train(lambda: td.constant([1.0]), steps=1)
    estimator.evaluate(lambda: td.constant([1.0]), steps=1)
    next(estimator.predict(lambda: td.data.Dataset.from_tensors([1.0])))
    assert seen["train"] == (one, False)
    assert seen["eval"] == (other, False)
    assert seen["infer"][0] not in (one, other)
