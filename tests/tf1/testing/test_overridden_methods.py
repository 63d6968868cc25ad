"""Methods and functions of users are called with the arguments that TensorFlow 1.15 gives them.

Each row is one method or function, with the forms of its calls: how many positional arguments
there are, then the names of the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Forms = dict[str, set[str]]


def _form(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    return " ".join([str(len(args)), *sorted(kwargs)])


def _spying(forms: Forms, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def called(*args: Any, **kwargs: Any) -> Any:
        forms.setdefault(name, set()).add(_form(args, kwargs))
        return function(*args, **kwargs)

    return called


def _watched(forms: Forms, base: Any, *methods: str) -> Any:
    """A subclass whose methods note how they are called."""

    def method(name: str) -> Callable[..., Any]:
        def called(self: Any, *args: Any, **kwargs: Any) -> Any:
            forms.setdefault(name, set()).add(_form(args, kwargs))
            return getattr(super(made, self), name)(*args, **kwargs)

        return called

    made = type(base.__name__, (base,), {name: method(name) for name in methods})
    return made


def _optimizer(forms: Forms, path: Path) -> None:
    methods = (
        "compute_gradients",
        "apply_gradients",
        "_create_slots",
        "_prepare",
        "_apply_dense",
        "_apply_sparse",
        "_apply_sparse_duplicate_indices",
        "_resource_apply_dense",
        "_resource_apply_sparse",
        "_finish",
        "_create_non_slot_variable",
        "_get_non_slot_variable",
        "_zeros_slot",
    )
    for resource in (False, True):
        with td.variable_scope(f"resource_{resource}"):
            rows = td.get_variable("rows", [3, 2], use_resource=resource)
            bias = td.get_variable("bias", [2], use_resource=resource)
        loss = td.reduce_sum(td.gather(rows, [0, 1])) + td.reduce_sum(bias)
        _watched(forms, td.train.AdamOptimizer, *methods)().minimize(loss)


def _session_parts(forms: Forms, path: Path) -> None:
    hook = _watched(
        forms,
        td.train.SessionRunHook,
        "begin",
        "after_create_session",
        "before_run",
        "after_run",
        "end",
    )()
    saver_of = _watched(forms, td.train.Saver, "save", "export_meta_graph")
    listener = _watched(forms, td.train.CheckpointSaverListener, "before_save", "after_save")()
    td.get_variable("v", [2])
    step = td.train.get_or_create_global_step()
    scaffold = td.train.Scaffold(
        saver=saver_of(), init_fn=_spying(forms, "init_fn", lambda *args: None)
    )
    saving = td.train.CheckpointSaverHook(
        str(path), save_steps=1, scaffold=scaffold, listeners=[listener]
    )
    count = step.assign_add(1)
    creator = _watched(forms, td.train.ChiefSessionCreator, "create_session")(scaffold)
    with td.train.MonitoredSession(creator, hooks=[hook, saving]) as session:
        session.run(count)
    with td.Graph().as_default():
        supervisor = _watched(forms, td.train.Supervisor, "prepare_or_wait_for_session")(
            logdir=None, saver=None, summary_op=None, global_step=None
        )
        with supervisor.managed_session():
            pass


def _cell(forms: Forms, path: Path) -> None:
    made = _watched(
        forms,
        td.nn.rnn_cell.BasicRNNCell,
        "__call__",
        "call",
        "build",
        "get_initial_state",
        "zero_state",
    )
    x = td.ones([3, 5, 4])
    td.nn.dynamic_rnn(made(4, name="a"), x, dtype=td.float32)
    td.nn.static_rnn(made(4, name="b"), td.unstack(x, axis=1), dtype=td.float32)


def _variable(forms: Forms, path: Path) -> None:
    def custom(*args: Any, **kwargs: Any) -> Any:
        forms.setdefault("getter", set()).add(f"{len(args)} {'getter' in kwargs}")
        return kwargs.pop("getter")(*args, **kwargs)

    td.get_variable(
        "v",
        [2, 2],
        initializer=_watched(forms, td.ones_initializer, "__call__")(),
        regularizer=_spying(forms, "regularizer", td.reduce_sum),
        partitioner=_spying(forms, "partitioner", lambda shape, dtype: [1, 1]),
        custom_getter=custom,
    )


def _keras(forms: Forms, path: Path) -> None:
    class Own(td.keras.layers.Layer):
        supports_masking = True

        def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
            forms.setdefault("layer.call", set()).add(
                " ".join(
                    name
                    for name, value in (("training", training), ("mask", mask))
                    if value is not None
                )
            )
            return inputs

    made = _watched(forms, Own, "compute_mask", "build")
    made()(td.keras.layers.Masking()(td.ones([2, 3, 4])))
    made()(td.ones([2]), training=True)

    class Net(td.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = td.keras.layers.Dense(1)
            self.own = Own()

        def call(self, inputs: Any, training: Any = None) -> Any:
            forms.setdefault("model.call", set()).add("" if training is None else "training")
            return self.dense(self.own(inputs))

    class Total(td.keras.metrics.Metric):
        def __init__(self) -> None:
            super().__init__(name="total")
            self.sum = self.add_weight("sum", initializer="zeros")

        def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any) -> Any:
            forms.setdefault("update_state", set()).add("sample_weight")
            return self.sum.assign_add(td.reduce_sum(y_pred))

        def result(self) -> Any:
            return self.sum

    loss = _watched(forms, td.keras.losses.MeanSquaredError, "__call__", "call")()
    model = Net()
    model.compile(
        _watched(forms, td.keras.optimizers.SGD, "get_updates")(0.1), loss, metrics=[Total()]
    )
    callback = _watched(
        forms,
        td.keras.callbacks.Callback,
        "set_model",
        "set_params",
        "on_train_begin",
        "on_epoch_begin",
        "on_epoch_end",
        "on_train_batch_begin",
        "on_train_batch_end",
    )()
    x, y = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
    model.fit(x, y, callbacks=[callback], verbose=0)


def _estimator(forms: Forms, path: Path) -> None:
    def model_fn(features: Any, labels: Any, mode: Any, params: Any, config: Any) -> Any:
        weight = td.get_variable("w", [], initializer=td.zeros_initializer())
        loss = td.square(weight - 1.0)
        step = td.train.get_global_step()
        train = td.train.GradientDescentOptimizer(0.1).minimize(loss, step)
        return td.estimator.EstimatorSpec(mode, loss=loss, train_op=train)

    def input_fn() -> Any:
        return td.data.Dataset.from_tensors((td.ones([1]), td.ones([1])))

    class Exporter(td.estimator.Exporter):
        name = "own"

        def export(self, *args: Any, **kwargs: Any) -> None:
            forms.setdefault("export", set()).add(_form(args, kwargs))

    made = _watched(forms, td.estimator.Estimator, "train", "evaluate")
    td.estimator.train_and_evaluate(
        made(model_fn, str(path)),
        td.estimator.TrainSpec(input_fn, max_steps=1),
        td.estimator.EvalSpec(input_fn, steps=1, exporters=[Exporter()]),
    )


TABLE: dict[str, tuple[Callable[[Forms, Path], None], Forms]] = {
    "Optimizer": (
        _optimizer,
        {
            "compute_gradients": {
                "1 aggregation_method colocate_gradients_with_ops gate_gradients grad_loss var_list"
            },
            "apply_gradients": {"1 global_step name"},
            "_create_slots": {"1"},
            "_prepare": {"0"},
            "_apply_dense": {"2"},
            "_apply_sparse": {"2"},
            "_apply_sparse_duplicate_indices": {"2"},
            "_resource_apply_dense": {"2"},
            "_resource_apply_sparse": {"3"},
            "_finish": {"2"},
            "_create_non_slot_variable": {"0 colocate_with initial_value name"},
            "_get_non_slot_variable": {"1 graph"},
            "_zeros_slot": {"3"},
        },
    ),
    "sessions": (
        _session_parts,
        {
            "begin": {"0"},
            "after_create_session": {"2"},
            "before_run": {"1"},
            "after_run": {"2"},
            "end": {"1"},
            "before_save": {"2"},
            "after_save": {"2"},
            "init_fn": {"2"},
            "create_session": {"0"},
            "prepare_or_wait_for_session": {"0 config master start_standard_services"},
        },
    ),
    "RNNCell": (
        _cell,
        {
            "__call__": {"2"},
            "call": {"2"},
            "build": {"1"},
            "get_initial_state": {"0 batch_size dtype inputs"},
            "zero_state": {"2"},
        },
    ),
    "variables": (
        _variable,
        {
            "__call__": {"1 dtype partition_info", "1 dtype"},
            "regularizer": {"1"},
            "partitioner": {"0 dtype shape"},
            "getter": {"0 True"},
        },
    ),
    "Keras": (
        _keras,
        {
            "compute_mask": {"2"},
            "build": {"1"},
            "layer.call": {"mask", "training"},
            "model.call": {"training"},
            "update_state": {"sample_weight"},
            "get_updates": {"2"},
            "on_train_begin": {"0", "1"},
            "on_epoch_begin": {"2"},
            "on_epoch_end": {"2"},
        },
    ),
    "Estimator": (
        _estimator,
        {
            "train": {"0 hooks input_fn max_steps saving_listeners"},
            "evaluate": {"0 checkpoint_path hooks input_fn name steps"},
            "export": {"0 checkpoint_path estimator eval_result export_path is_the_final_export"},
        },
    ),
}


@pytest.mark.parametrize("family", TABLE)
def test_methods_are_called_as_tensorflow_calls_them(family: str, tmp_path: Path) -> None:
    run, expected = TABLE[family]
    forms: Forms = {}
    td.reset_default_graph()
    run(forms, tmp_path)
    for name, allowed in expected.items():
        assert forms.get(name), f"{name} was not called"
        assert forms[name] <= allowed, name


def test_an_optimizer_names_the_variables_that_it_takes() -> None:
    base: Any = td.train.GradientDescentOptimizer  # the signatures differ on purpose

    class Own(base):  # type: ignore[misc]
        def compute_gradients(self, loss: Any, var_list: Any, **kwargs: Any) -> Any:
            return super().compute_gradients(loss, var_list, **kwargs)

        def apply_gradients(self, pairs: Any, **kwargs: Any) -> Any:
            return super().apply_gradients(pairs, **kwargs)

    with td.Graph().as_default(), td.Session() as session:
        v = td.Variable(1.0)
        step = Own(0.5).minimize(v * v)
        session.run(v.initializer)
        session.run(step)
        assert session.run(v) == 0.0


def test_a_cell_says_in_which_state_it_begins() -> None:
    class Ones(td.nn.rnn_cell.BasicRNNCell):
        def get_initial_state(
            self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
        ) -> Any:
            return td.ones([batch_size, 2], dtype)

        def call(self, inputs: Any, state: Any) -> Any:
            return state, state

    with td.Graph().as_default(), td.Session() as session:
        output, _ = td.nn.dynamic_rnn(Ones(2), td.ones([1, 1, 3]), dtype=td.float32)
        assert session.run(output).tolist() == [[[1.0, 1.0]]]


def test_whether_it_trains_reaches_the_layers_inside() -> None:
    class Net(td.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dropout = td.keras.layers.Dropout(0.9)

        def call(self, inputs: Any) -> Any:
            return self.dropout(inputs)

    with td.Graph().as_default(), td.Session() as session:
        net = Net()
        x = td.ones([1000])
        trained, asked = session.run([net(x, training=True), net(x, training=False)])
    assert 0 < np.count_nonzero(trained) < 300
    assert asked.tolist() == [1.0] * 1000
