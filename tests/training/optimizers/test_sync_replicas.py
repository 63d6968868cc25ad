"""SyncReplicasOptimizer: the numbers are those of TensorFlow 2.21, for the same program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")


def made(aggregate: int, total: int | None = None, **settings: Any) -> td.train.Optimizer:
    return td.train.SyncReplicasOptimizer(
        td.train.MomentumOptimizer(0.1, 0.9), aggregate, total, **settings
    )


def test_each_two_batches_make_an_update() -> None:
    w = td.get_variable("w", [2], initializer=td.ones_initializer())
    table = td.get_variable("t", [5, 2], initializer=td.ones_initializer())
    x, ids = td.placeholder(td.float32, []), td.placeholder(td.int32, [None])
    rows = td.nn.embedding_lookup(table, ids)
    loss = td.reduce_sum(w * w * x) + td.reduce_sum(rows * x)
    step = td.train.get_or_create_global_step()
    averages = td.train.ExponentialMovingAverage(0.5)
    optimizer: Any = made(2, 1, variable_averages=averages, variables_to_average=[w])
    train = optimizer.minimize(loss, global_step=step)
    assert optimizer.get_slot_names() == ["momentum"]
    assert optimizer.get_slot(w, "momentum").op.name == "w/Momentum"
    assert len(optimizer.variables()) == 2
    hook = optimizer.make_session_run_hook(True, num_tokens=1)
    with td.train.MonitoredTrainingSession(hooks=[hook]) as session:
        for i in range(9):
            session.run(train, {x: i, ids: [i % 5, (i * 2) % 5] if i % 5 else [0]})
        # The ninth step has got a token of the fourth update.
        number, weights, rows_of_table, average = session.run([step, w, table, averages.average(w)])
    assert number == 4
    np.testing.assert_allclose(weights, [-0.594, -0.594], rtol=1e-6)
    expected = [0.5, -0.441, -0.301, 0.03, -1.002]
    np.testing.assert_allclose(rows_of_table[:, 0], expected, rtol=1e-5)
    assert average[0] != 1.0


def test_what_is_refused() -> None:
    v = td.get_variable("v", initializer=1.0)
    optimizer: Any = made(3, 1)
    with pytest.raises(ValueError, match="after apply_gradients"):
        optimizer.get_chief_queue_runner()
    with pytest.raises(ValueError, match="after apply_gradients"):
        optimizer.get_init_tokens_op()
    with pytest.raises(ValueError, match="Global step is required"):
        optimizer.apply_gradients([(td.constant(1.0), v)])
    step = td.train.get_or_create_global_step()
    with pytest.raises(ValueError, match="at least one variable"):
        optimizer.apply_gradients([], step)
    with pytest.raises(ValueError, match="a Tensor or IndexedSlices, got 'no'"):
        optimizer.apply_gradients([("no", v)], step)
    with pytest.raises(ValueError, match="replicas_to_aggregate must be positive, got 0"):
        made(0)
    optimizer.apply_gradients([(td.constant(1.0), v)], step)
    with pytest.raises(ValueError, match=r"1 \(given\) vs 2 \(needed\)"):
        optimizer.get_init_tokens_op(1)
    assert optimizer.get_init_tokens_op(2).type == "QueueEnqueueManyV2"


def test_a_worker_that_is_not_the_chief_only_initializes() -> None:
    v = td.get_variable("v", initializer=1.0)
    optimizer: Any = made(1)
    optimizer.minimize(v * v, global_step=td.train.get_or_create_global_step())
    hook = optimizer.make_session_run_hook(False)
    hook.begin()
    with td.Session() as session:
        with pytest.raises(RuntimeError, match="did not make model ready"):
            hook.after_create_session(session, None)
        session.run(td.global_variables_initializer())
        hook.after_create_session(session, None)
        assert session.run(td.local_variables()) == [0]
