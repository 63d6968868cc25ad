"""`td.TensorArray`, with what TensorFlow computes and refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")
F = td.float32


def array(size: Any = 3, **settings: Any) -> td.TensorArray:
    return td.TensorArray(F, size, **settings)


def run(tensor: Any, feed: Any = None) -> Any:
    with td.Session() as session:
        return session.run(tensor, feed)


def test_names_and_properties() -> None:
    made = array(2, element_shape=[2])
    assert (made.handle.name, made.flow.name) == ("TensorArray:0", "TensorArray:1")
    assert made.dtype is F
    assert not made.dynamic_size
    written = made.write(0, [1.0, 2.0])
    assert written.flow.name == "TensorArrayWrite/TensorArrayWriteV3:0"
    assert written.stack().name == "TensorArrayStack/TensorArrayGatherV3:0"
    assert written.element_shape.as_list() == [2]
    assert written.identity().flow.op.type == "Identity"


VALUES: list[tuple[Callable[[], Any], Any]] = [
    (lambda: array().write(1, 5.0).read(1), 5),
    (lambda: array(element_shape=[2]).read(1), [0, 0]),
    (lambda: array().write(0, [1.0]).read(1), [0]),
    (lambda: array().write(1, 1.0).stack(), [0, 1, 0]),
    (lambda: array(element_shape=[]).stack(), [0, 0, 0]),
    (lambda: array(0, element_shape=[3]).stack(), []),
    (lambda: array(0, element_shape=[5, 3]).concat(), []),
    (lambda: array(3, dynamic_size=True).write(5, 1.0).size(), 6),
    (lambda: array(0, dynamic_size=True).unstack([1.0, 2.0, 3.0]).read(1), 2),
    (lambda: array().unstack([1.0, 2.0, 3.0]).gather([2, 0]), [3, 1]),
    (lambda: array(2, infer_shape=False).write(0, [1.0]).write(1, [2.0, 3.0]).concat(), [1, 2, 3]),
    (lambda: array(2, infer_shape=False).split([1.0, 2.0, 3.0], [1, 2]).read(1), [2, 3]),
    (lambda: array().scatter([2, 0], [1.0, 2.0]).stack(), [2, 0, 1]),
]


@pytest.mark.parametrize("number", range(len(VALUES)))
def test_values(number: int) -> None:
    made, expected = VALUES[number]
    assert run(made()).tolist() == expected


def test_gradients_add_up() -> None:
    made = array(clear_after_read=False).unstack([1.0, 2.0, 3.0])
    gradient = made.grad("g").write(0, 1.0).write(0, 4.0)
    assert run(gradient.stack()).tolist() == [5, 0, 0]


BUILD_ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: td.TensorArray(F), ValueError, "size must be provided"),
    (lambda: td.TensorArray(F, 3, handle=array().handle), ValueError, "both handle and size"),
    (lambda: td.TensorArray(F, handle=3), TypeError, "handle must be a Tensor"),  # type: ignore[arg-type]
    (lambda: array().write(0, td.constant(1)), ValueError, "expected dtype float32"),
    (lambda: array(element_shape=[2]).write(0, [1.0]), ValueError, "Inconsistent shapes"),
    (lambda: array().write(0, [1.0]).write(1, [1.0, 2.0]), ValueError, "Inconsistent shapes"),
    (lambda: array().write(0, 1.0).grad("g").write(0, [1.0]), ValueError, "Inconsistent shapes"),
]


@pytest.mark.parametrize("number", range(len(BUILD_ERRORS)))
def test_what_is_refused_while_it_is_built(number: int) -> None:
    make, error, message = BUILD_ERRORS[number]
    with pytest.raises(error, match=message):
        make()


def read_twice() -> Any:
    made = array().write(1, 1.0)
    with td.control_dependencies([made.read(1)]):
        return made.read(1)


def closed() -> Any:
    made = array()
    with td.control_dependencies([made.close()]):
        return made.write(0, 1.0).flow


RUN_ERRORS: list[tuple[Callable[[], Any], str]] = [
    (lambda: array().write(-1, 1.0).flow, r"index = -1 is not in \[0, 3\)"),
    (lambda: array().write(3, 1.0).flow, r"index = 3 is not in \[0, 3\)"),
    (lambda: array().write(1, 1.0).write(1, 2.0).flow, "written already"),
    (lambda: array().read(1), "was not written"),
    (lambda: array().read(3), r"index = 3 is not in \[0, 3\)"),
    (read_twice, "clear_after_read=False"),
    (closed, "has been closed"),
    (lambda: array(2).unstack([1.0, 2.0, 3.0]).flow, r"index = 2 is not in \[0, 2\)"),
    (lambda: array(2, infer_shape=False).split([1.0, 2.0], [1, 2]).flow, "sum up to the rows"),
    (lambda: array(3, infer_shape=False).split([1.0], [1]).flow, "1 elements for a TensorArray"),
    (lambda: array(-1).flow, "at least 0"),
    (lambda: array(0).stack(), "not fully known"),
]


@pytest.mark.parametrize("number", range(len(RUN_ERRORS)))
def test_what_is_refused_in_a_run(number: int) -> None:
    make, message = RUN_ERRORS[number]
    with pytest.raises(td.errors.InvalidArgumentError, match=message):
        run(make())


def test_in_loops_and_branches() -> None:
    n, p = td.placeholder(td.int32, []), td.placeholder(td.bool, [])
    start = {"i": td.constant(0), "made": td.TensorArray(td.int32, n)}

    def step(state: Any) -> Any:
        i = state["i"]
        return [{"i": i + 1, "made": state["made"].write(i, i * i)}]

    made = td.while_loop(lambda state: state["i"] < n, step, [start])["made"]
    assert run(made.stack(), {n: 4}).tolist() == [0, 1, 4, 9]
    outside = array(2, clear_after_read=False)
    taken = td.cond(p, lambda: outside.write(0, 1.0), lambda: outside.write(1, 2.0))
    filled = taken.write(p_index(p), 3.0)
    assert run(filled.stack(), {p: True}).tolist() == [1, 3]
    assert run(filled.stack(), {p: False}).tolist() == [3, 2]


def p_index(p: td.Tensor) -> Any:
    return td.cast(p, td.int32)


def test_arrays_made_in_branches() -> None:
    p = td.placeholder(td.bool, [])
    made = td.cond(p, lambda: array(2).unstack([1.0, 2.0]), lambda: array(3).unstack([3.0] * 3))
    assert run(made.stack(), {p: True}).tolist() == [1, 2]
    assert run(made.stack(), {p: False}).tolist() == [3, 3, 3]


def test_shapes_through_a_loop() -> None:
    x = td.placeholder(F, ["time", "batch", 3])
    number = td.shape(x)[0]
    rows = td.TensorArray(F, number).unstack(x)
    made = td.while_loop(
        lambda i, _: i < number,
        lambda i, made: (i + 1, made.write(i, rows.read(i) * 2.0)),
        (0, td.TensorArray(F, number)),
    )[1]
    assert str(made.stack().shape) == "(time, batch, 3)"
    assert run(made.stack(), {x: [[[1, 2, 3]]]}).tolist() == [[[2, 4, 6]]]
