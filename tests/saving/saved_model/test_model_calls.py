"""Calls of loaded models: arrays by position and by name, sessions, threads, batches."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td

ONES = np.ones([1, 4], np.float32)


@pytest.fixture
def model(tmp_path: Path) -> td.LoadedModel:
    """A SavedModel of one input, an input with a default, a variable and two signatures."""
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, ["batch", 4], name="x")
        scale = td.placeholder_with_default(td.constant(2.0), [], name="scale")
        w = td.get_variable("w", initializer=td.constant(np.arange(8.0).reshape(4, 2)))
        y = td.matmul(x, td.cast(w, td.float32)) * scale
        session.run(td.global_variables_initializer())
        builder = td.saved_model.builder.SavedModelBuilder(str(tmp_path / "model"))
        info = td.saved_model.utils.build_tensor_info
        signatures = {
            name: td.saved_model.signature_def_utils.build_signature_def(
                {"x": info(x)}, {key: info(tensor) for key, tensor in outputs.items()}, "predict"
            )
            for name, outputs in {
                "serving_default": {"y": y},
                "both": {"y": y, "sum": td.reduce_sum(y, 1)},
            }.items()
        }
        builder.add_meta_graph_and_variables(session, ["serve"], signature_def_map=signatures)
        builder.save()
    return td.load(tmp_path / "model")


@pytest.mark.parametrize(
    "call",
    [
        lambda model: model(ONES),
        lambda model: model(ONES.tolist()),
        lambda model: model(x=ONES),
        lambda model: model({"x": ONES}),
        lambda model: model(ONES, scale=2.0),
        lambda model: model.signatures["serving_default"](ONES),
        lambda model: model.signatures["both"](x=ONES)["y"],
    ],
)
def test_every_form_of_a_call_gives_the_output(
    model: td.LoadedModel, call: Callable[[Any], Any]
) -> None:
    np.testing.assert_array_equal(call(model), [[24.0, 32.0]])


def test_an_input_with_a_default_can_be_given(model: td.LoadedModel) -> None:
    np.testing.assert_array_equal(model(ONES, scale=0.5), [[6.0, 8.0]])


def test_several_outputs_come_by_name(model: td.LoadedModel) -> None:
    outputs = model.signatures["both"](ONES)
    assert sorted(outputs) == ["sum", "y"]
    np.testing.assert_array_equal(outputs["sum"], [56.0])


@pytest.mark.parametrize(
    ("args", "kwargs", "kind", "text"),
    [
        ((), {}, TypeError, "the model needs a value for x (float32[batch,4])"),
        ((ONES, ONES), {}, TypeError, "the model takes 'x'; got 2 values"),
        ((ONES,), {"x": ONES}, TypeError, "two values for the input 'x'"),
        ((ONES,), {"scal": 1.0}, TypeError, "has no input 'scal'"),
        (({"y": ONES},), {}, TypeError, "has no input 'y'; it takes 'x'"),
        (([1.0, 2.0],), {}, ValueError, "the input 'x' of the model takes float32[batch,4], got"),
        (([[1.0], [1.0, 2.0]],), {}, ValueError, "got rows of several lengths"),
    ],
)
def test_errors_name_the_input(
    model: td.LoadedModel, args: Any, kwargs: Any, kind: type[Exception], text: str
) -> None:
    with pytest.raises(kind) as caught:
        model(*args, **kwargs)
    assert text in str(caught.value)


def test_threads_share_one_session(model: td.LoadedModel) -> None:
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda i: model(ONES * i), range(64)))
    for i, result in enumerate(results):
        np.testing.assert_array_equal(result, [[24.0 * i, 32.0 * i]])


def test_a_closed_model_refuses_calls(model: td.LoadedModel) -> None:
    with model:
        model(ONES)
    with pytest.raises(RuntimeError, match="the model is closed"):
        model(ONES)


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_a_map_over_arrays_joins_the_batches(model: td.LoadedModel, count: int) -> None:
    seen: list[tuple[str, int, int]] = []
    x = np.arange(count * 4, dtype=np.float32).reshape(count, 4)
    result = model.map(x, batch_size=2, progress=lambda *report: seen.append(report))
    np.testing.assert_array_equal(result, 2 * x @ np.arange(8.0).reshape(4, 2))
    assert seen[-1] == ("examples", count, count)


def test_a_map_over_an_iterable_is_lazy(model: td.LoadedModel) -> None:
    read = []

    def examples() -> Any:
        for i in range(5):
            read.append(i)
            yield np.full(4, i)

    results = model.signatures["both"].map(examples(), batch_size=2)
    assert next(results)["sum"] == 0.0
    assert read == [0, 1]
    assert [row["sum"] for row in results] == [56.0, 112.0, 168.0, 224.0]


def test_a_short_batch_is_padded_where_the_size_is_fixed(tmp_path: Path) -> None:
    with td.Graph().as_default() as graph:
        td.square(td.placeholder(td.float32, [2], name="x"), name="y")
    model = td.load(td.save_graph(graph, tmp_path / "fixed.pb"))
    assert model.map([1.0, 2.0, 3.0]).tolist() == [1.0, 4.0, 9.0]
    with pytest.raises(ValueError, match="takes batches of 2 examples only, got batch_size 3"):
        model.map([1.0, 2.0, 3.0], batch_size=3)


def test_an_output_without_examples_is_refused(tmp_path: Path) -> None:
    with td.Graph().as_default() as graph:
        td.reduce_sum(td.placeholder(td.float32, [None], name="x"), name="y")
    model = td.load(td.save_graph(graph, tmp_path / "sum.pb"))
    with pytest.raises(ValueError, match="its first dimension does not count examples"):
        model.map([1.0, 2.0])


def test_columns_of_several_lengths_are_refused(tmp_path: Path) -> None:
    with td.Graph().as_default() as graph:
        a, b = (td.placeholder(td.float32, [None], name=name) for name in "ab")
        td.add(a, b, name="y")
    model = td.load(td.save_graph(graph, tmp_path / "add.pb"))
    assert model.map(([1.0, 2.0], [3.0, 4.0])).tolist() == [4.0, 6.0]
    with pytest.raises(ValueError, match="as many examples of every input, got a: 2, b: 1"):
        model.map({"a": [1.0, 2.0], "b": [3.0]})


def test_the_representation_shows_signatures_with_types(model: td.LoadedModel) -> None:
    text = repr(model)
    assert "serving_default(x: float32[batch,4]) -> (y: float32[batch,2])" in text
    assert "both(x: float32[batch,4]) -> (sum: float32[batch], y: float32[batch,2])" in text
