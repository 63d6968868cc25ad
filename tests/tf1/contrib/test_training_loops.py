"""The loops of slim and of contrib.training: training, saving, evaluating what was saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")
slim = td.contrib.slim


def halving(start: float = 8.0) -> Any:
    """A train op that halves a variable, and gives its square as it was before."""
    v = td.get_variable("v", initializer=start)
    optimizer = td.train.GradientDescentOptimizer(0.25)
    return slim.learning.create_train_op(v * v, optimizer)


def saved(folder: Path, *steps: int) -> str:
    """Checkpoints in which `v` is the step."""
    with td.Graph().as_default(), td.Session() as session:
        v = td.get_variable("v", initializer=0.0)
        step = td.train.get_or_create_global_step()
        saver = td.train.Saver()
        session.run(td.global_variables_initializer())
        for number in steps:
            session.run([v.assign(float(number)), step.assign(number)])
            saver.save(session, str(folder / "model"), global_step=number)
    return str(folder / f"model-{steps[-1]}")


def test_checkpoints_as_they_come(tmp_path: Path) -> None:
    found = []
    saved(tmp_path, 1)
    for path in td.train.checkpoints_iterator(str(tmp_path), timeout=0):
        found.append(Path(path).name)
        if len(found) < 3:
            saved(tmp_path, 10 * len(found), 11 * len(found))  # the first of them is passed over
    assert found == ["model-1", "model-11", "model-22"]
    asked = iter([False, True])
    wait = slim.evaluation.checkpoints_iterator
    assert list(wait(str(tmp_path / "none"), timeout=0, timeout_fn=lambda: next(asked))) == []
    assert next(asked, "all asked") == "all asked"
    last = str(tmp_path / "model-22")
    newer = td.contrib.training.wait_for_new_checkpoint
    assert newer(str(tmp_path), "model-1", timeout=0) == last
    assert newer(str(tmp_path), last, timeout=0) is None


def test_an_evaluation_with_summaries(tmp_path: Path) -> None:
    path = saved(tmp_path, 7)
    v = td.get_variable("v", initializer=0.0)
    td.train.get_or_create_global_step()
    x = td.placeholder(td.float32)
    mean, update = td.metrics.mean(v * x)
    td.summary.scalar("average", mean)
    logs = tmp_path / "logs"
    result = slim.evaluation.evaluate_once(
        "",
        path,
        str(logs),
        num_evals=3,
        eval_op=update,
        eval_op_feed_dict={x: 2.0},
        final_op=[mean, td.contrib.training.get_or_create_eval_step()],
    )
    assert result == [14.0, 3]
    [file] = logs.iterdir()
    events = list(td.train.summary_iterator(str(file)))
    values = [(event.step, value.tag) for event in events for value in event.summary.value]
    assert values == [(7, "average")]
    assert td.global_variables("eval_step") == []


def test_what_is_restored(tmp_path: Path) -> None:
    path = saved(tmp_path, 7)
    v = td.get_variable("v", initializer=0.0)
    local = [td.GraphKeys.LOCAL_VARIABLES]
    other = td.Variable(5.0, trainable=False, collections=local)
    result = slim.evaluation.evaluate_once(
        "",
        path,
        str(tmp_path / "logs"),
        eval_op=td.no_op(),
        final_op=[v, other],
        summary_op=None,
        variables_to_restore=[v],
    )
    assert result == [7.0, 5.0]
    assert not (tmp_path / "logs").exists()


def test_evaluations_of_each_checkpoint(tmp_path: Path) -> None:
    saved(tmp_path, 1)
    v = td.get_variable("v", initializer=0.0)
    td.train.get_or_create_global_step()
    seen: list[float] = []

    class Writer(td.train.SessionRunHook):
        def end(self, session: Any) -> None:
            seen.append(float(session.run(v)))
            saved(tmp_path, int(seen[-1]) + 1)

    mean, update = td.metrics.mean(v)
    result = slim.evaluation.evaluation_loop(
        "",
        str(tmp_path),
        str(tmp_path / "logs"),
        num_evals=2,
        eval_op=update,
        final_op=mean,
        eval_interval_secs=0,
        max_number_of_evaluations=3,
        hooks=[Writer()],
    )
    assert seen == [1.0, 2.0, 3.0]
    assert result == 3.0
    again = td.contrib.training.evaluate_repeatedly(
        str(tmp_path), final_ops=v, eval_interval_secs=0, timeout=0
    )
    assert again == 4.0


def test_hooks_for_evaluations_refuse() -> None:
    with pytest.raises(ValueError, match="log_dir or summary_writer"):
        td.contrib.training.SummaryAtEndHook()
    collection = td.get_default_graph().get_collection_ref(td.GraphKeys.EVAL_STEP)
    collection += [1, 2]
    with pytest.raises(ValueError, match="EVAL_STEP"):
        td.contrib.training.get_or_create_eval_step()


def test_training_goes_on_where_it_ended(tmp_path: Path) -> None:
    log = str(tmp_path)
    for number, (steps, expected) in enumerate([(3, 1.0), (5, 0.0625)]):
        with td.Graph().as_default():
            train_op = halving()
            td.summary.scalar("loss", train_op)
            loss = slim.learning.train(train_op, log, number_of_steps=steps, save_summaries_secs=60)
            assert loss == expected
            assert td.train.latest_checkpoint(log) == str(tmp_path / f"model.ckpt-{steps}")
        assert number >= 0
    assert td.train.load_variable(log, "v") == 0.25


def test_steps_of_ones_own() -> None:
    train_op = halving()
    given: list[Any] = []

    def step(session: Any, op: Any, global_step: Any, settings: Any) -> tuple[Any, bool]:
        given.append((session, settings))
        loss, number = session.run([op, global_step])
        return loss, number >= 2

    loss = slim.learning.train(
        train_op,
        None,
        train_step_fn=step,
        train_step_kwargs={"mine": 1},
        session_wrapper=lambda session: session,
        init_fn=lambda session: given.append("begun"),
    )
    assert loss in (16.0, 4.0)  # a fetch of the step may read it before it counts up
    assert given[0] == "begun"
    assert {tuple(settings) for _, settings in given[1:]} == {("mine",)}


def test_synchronous_training() -> None:
    v = td.get_variable("v", initializer=8.0)
    step = td.train.get_or_create_global_step()
    plain = td.train.GradientDescentOptimizer(0.25)
    optimizer: Any = td.train.SyncReplicasOptimizer(plain, 1)
    train_op = slim.learning.create_train_op(v * v, optimizer, global_step=step)
    loss = slim.learning.train(train_op, None, number_of_steps=3, sync_optimizer=optimizer)
    assert loss < 64.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"train_op": None}, "train_op cannot be None"),
        ({"number_of_steps": 0}, "must be either None or a positive number"),
        ({"startup_delay_steps": -1}, "startup_delay_steps must be zero"),
    ],
)
def test_what_training_refuses(settings: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"train_op": td.constant(1.0), "logdir": None, **settings}
    with pytest.raises(ValueError, match=message):
        slim.learning.train(**arguments)


def test_errors_in_a_step_are_raised() -> None:
    v = td.get_variable("v", initializer=1.0)
    optimizer = td.train.GradientDescentOptimizer(1.0)
    train_op = slim.learning.create_train_op(td.log(v - 2.0), optimizer)
    with pytest.raises(td.errors.InvalidArgumentError, match="LossTensor is inf or nan"):
        slim.learning.train(train_op, None, number_of_steps=3)


def test_training_by_hooks(tmp_path: Path) -> None:
    train_op = td.contrib.training.create_train_op(
        td.square(td.get_variable("v", initializer=8.0)), td.train.GradientDescentOptimizer(0.25)
    )
    stop = td.train.StopAtStepHook(last_step=2)
    with pytest.raises(ValueError, match="logdir cannot be None when save_summaries_steps"):
        td.contrib.training.train(train_op, None, hooks=[stop])
    assert td.contrib.training.train(train_op, str(tmp_path), hooks=[stop]) == 4.0
    np.testing.assert_allclose(td.train.load_variable(str(tmp_path), "v"), 2.0)
