"""Errors: their class, and the op, its location and its inputs in the message."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from places import created_in
from toy_ops import ADD, CHECKED, ENDS, TOTAL

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")
RUNS_OF_BOTH_TIERS = 5  # a plan is lowered after a few runs

FAILS = td.OpDef("ToyFails", "x: int32, rest: N * float32 -> y: int32", "N: int")
NO_KERNEL = [td.OpDef(f"ToyNoKernel{x}", "x: int32 -> y: int32") for x in "AB"]
RAISED: list[BaseException] = []


@FAILS.shape
def _fails_shape(c: Any) -> td.TensorShape:
    result: td.TensorShape = c.shape("x")
    return result


@FAILS.kernel
def _fails_kernel(c: Any) -> Any:
    def fails(x: Any, *rest: Any) -> Any:
        raise RAISED[-1]

    return fails


def errors_of_runs(tensor: td.Tensor, feeds: Any = None) -> list[td.errors.OpError]:
    """The errors of as many runs as it takes to pass both tiers."""
    caught = []
    with td.Session(graph=tensor.graph) as session:
        for _ in range(RUNS_OF_BOTH_TIERS):
            with pytest.raises(td.errors.OpError) as error:
                session.run(tensor, feeds)
            caught.append(error.value)
    return caught


# The classes -------------------------------------------------------------------------------------


def test_every_error_has_a_code_and_every_code_a_class() -> None:
    classes = [
        cls
        for cls in [getattr(td.errors, name) for name in dir(td.errors)]
        if isinstance(cls, type) and issubclass(cls, td.errors.OpError)
        if cls is not td.errors.OpError
    ]
    assert sorted(cls.error_code for cls in classes) == list(range(1, 17))
    for cls in classes:
        assert td.errors.exception_type_from_error_code(cls.error_code) is cls
        assert td.errors.error_code_from_exception_type(cls) == cls.error_code
        name = cls.__name__.removesuffix("Error")
        constant = "".join(f"_{char}" if char.isupper() else char for char in name)[1:].upper()
        assert getattr(td.errors, constant) == cls.error_code


def test_an_invalid_argument_is_a_value_error_and_the_rest_are_not() -> None:
    assert issubclass(td.errors.InvalidArgumentError, ValueError)
    assert not issubclass(td.errors.InternalError, ValueError)


def test_an_error_keeps_what_it_is_given() -> None:
    op = td.constant(1, name="x").op
    error = td.errors.NotFoundError(None, op, "no such row")
    assert (error.op, error.message, str(error)) == (op, "no such row", "no such row")
    assert error.node_def.name == "x"
    assert td.errors.NotFoundError(None, None, "text").node_def is None
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (type(copy), str(copy)) == (td.errors.NotFoundError, "no such row")


# At build ----------------------------------------------------------------------------------------


def test_an_error_of_a_call_tells_op_place_and_inputs() -> None:
    x = td.placeholder(td.float32, ["batch", 3], name="x")
    with td.name_scope("scope"), pytest.raises(ValueError, match="must have the shape") as caught:
        ADD(x, [1.0, 2.0], name="sum")
    clause, where, inputs = str(caught.value).split("\n")
    assert clause == "y must have the shape of x, (batch, 3), got (2,)"
    assert where.startswith(f"  in 'scope/sum' (ToyAdd), {created_in(__file__)}")
    assert inputs == "  with x: float32[batch,3], y: float32[2]"
    assert not isinstance(caught.value, td.errors.OpError)


def test_unknown_ranks_and_lists_are_told() -> None:
    x = td.placeholder(td.float32, name="x")
    with pytest.raises(ValueError, match="rank at least 1") as caught:
        ENDS(td.constant(1))
    assert str(caught.value).endswith("with value: int32[]")
    values = [x, [1.0], *[x] * 8, [1.0, 2.0]]
    with pytest.raises(ValueError, match="compatible") as caught:
        TOTAL(values)
    last = str(caught.value).split("\n")[-1]
    assert last.startswith("  with values[0]: float32[...], values[1]: float32[1], values[2]: ")
    assert last.endswith("values[7]: float32[...], …")


# At run ------------------------------------------------------------------------------------------


def test_an_error_of_a_run_tells_op_place_and_inputs() -> None:
    x = td.placeholder(td.int32, name="x")
    with td.name_scope("scope"):
        y = CHECKED(ADD(x, x), name="checked")
    for error in errors_of_runs(y, {x: [[1, 2, -4]]}):
        clause, where, inputs = str(error).split("\n")
        assert clause == "x = -8 is below 0"
        assert where.startswith(f"  in 'scope/checked' (ToyChecked), {created_in(__file__)}")
        assert inputs == "  with x: int32[1,3]"
        assert isinstance(error, td.errors.InvalidArgumentError)
        assert error.op is y.op
        assert error.node_def.name == "scope/checked"
        assert isinstance(error.__cause__, ValueError)


def test_both_tiers_say_the_same(graph: td.Graph) -> None:
    x = td.placeholder(td.int32, name="x")
    c = td.constant(-1)
    first, last = ENDS(x)
    for tensor in (
        CHECKED(ADD(x, x)),
        ADD(x, td.identity(td.constant([1]))),
        CHECKED(first),
        TOTAL([first, CHECKED(last)]),
        CHECKED(c),
        ADD(CHECKED(c), x),
    ):
        texts = {str(error) for error in errors_of_runs(tensor, {x: [[-1, 2, 3], [-4, 5, 6]]})}
        assert len(texts) == 1, texts
        assert "\n  in '" in texts.pop()


def test_a_plan_that_is_hot_still_fails_in_the_right_place() -> None:
    x = td.placeholder(td.int32, [None])
    y = CHECKED(x, name="good")
    z = CHECKED(ADD(y, td.constant([-5, -5])), name="bad")
    with td.Session() as session:
        for _ in range(RUNS_OF_BOTH_TIERS):
            assert session.run(z, {x: [5, 5]}).tolist() == [0, 0]
        for value, name, clause in (([-1, 9], "good", "x = -1"), ([9, 1], "bad", "x = -4")):
            with pytest.raises(td.errors.InvalidArgumentError, match=clause) as caught:
                session.run(z, {x: value})
            assert caught.value.op is not None
            assert caught.value.op.name == name
        assert session.run(z, {x: [6, 5]}).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("raised", "kind", "text"),
    [
        (ValueError("too big"), td.errors.InvalidArgumentError, "too big"),
        (IndexError("7 of 3"), td.errors.InvalidArgumentError, "7 of 3"),
        (TypeError("no dtype"), td.errors.InvalidArgumentError, "no dtype"),
        (OverflowError("huge"), td.errors.InvalidArgumentError, "huge"),
        (MemoryError(), td.errors.ResourceExhaustedError, "out of memory"),
        (KeyError("k"), td.errors.InternalError, "KeyError: 'k'"),
        (ZeroDivisionError("zero"), td.errors.InternalError, "ZeroDivisionError: zero"),
        (RecursionError("deep"), td.errors.InternalError, "deep"),
        (td.errors.OutOfRangeError(None, None, "at the end"), td.errors.OutOfRangeError, "the end"),
        (td.errors.InternalError(None, None, "oops"), td.errors.InternalError, "oops"),
    ],
)
def test_whatever_a_kernel_raises_becomes_an_error_of_the_run(
    raised: BaseException, kind: type[td.errors.OpError], text: str
) -> None:
    RAISED.append(raised)
    x = td.placeholder(td.int32, [2])
    y = FAILS(x, [td.constant([1.0])])
    for error in errors_of_runs(y, {x: [1, 2]}):
        assert type(error) is kind
        assert text in str(error).split("\n")[0]
        assert str(error).endswith("with x: int32[2], rest[0]: float32[1]")


def test_an_interrupt_is_not_an_error_of_the_op() -> None:
    RAISED.append(KeyboardInterrupt())
    x = td.placeholder(td.int32, [])
    y = FAILS(x, [])
    with td.Session() as session:
        for _ in range(RUNS_OF_BOTH_TIERS):
            with pytest.raises(KeyboardInterrupt):
                session.run(y, {x: 1})


def test_constants_that_fail_fail_in_the_run_only(graph: td.Graph) -> None:
    bad = CHECKED(td.constant([-1, 3]))
    assert td.constant_value(bad) is None
    assert bad.shape.as_list() == [2]
    with td.Session() as session:
        assert session.run(td.constant(1)) == 1
        with pytest.raises(td.errors.InvalidArgumentError, match="x = -1 is below 0"):
            session.run(bad)


def test_numpy_warnings_do_not_reach_the_user() -> None:
    x = td.placeholder(td.float32, [1])
    with td.Session() as session:
        for _ in range(RUNS_OF_BOTH_TIERS):
            total = session.run(ADD(x, x), {x: [np.finfo(np.float32).max]})
            assert total.tolist() == [np.inf]


def test_ops_without_kernels_are_named_together() -> None:
    first, second = NO_KERNEL
    b = second(first(td.constant(1), name="a"), name="b")
    with td.Session() as session:
        with pytest.raises(td.errors.UnimplementedError) as caught:
            session.run(b)
        assert "ToyNoKernelA, ToyNoKernelB" in str(caught.value)
        assert f"'a' (ToyNoKernelA), {created_in(__file__)}" in str(caught.value)
        assert session.run(b, {b: 3}) == 3


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (KeyError("x"), td.errors.InternalError, "KeyError: 'x'"),
        (RecursionError("deep"), td.errors.InternalError, "RecursionError: deep"),
        (MemoryError(), td.errors.ResourceExhaustedError, "out of memory"),
        (OverflowError("large"), ValueError, "large"),
        (IndexError("far"), ValueError, "far"),
        (td.errors.OutOfRangeError(None, None, "off"), td.errors.OutOfRangeError, "off"),
        (TypeError("odd"), TypeError, "odd"),
    ],
)
def test_whatever_a_shape_function_raises_becomes_an_error_of_the_call(
    error: Exception, kind: type[Exception], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_: Any) -> Any:
        raise error

    monkeypatch.setattr(CHECKED, "shape_function", failing)
    with td.Graph().as_default() as graph, pytest.raises(kind) as info:
        CHECKED(td.constant(1.0), name="it")
    assert str(info.value).startswith(f"{text}\n  in 'it' (ToyChecked), {created_in(__file__)}")
    assert not graph.has_operation("it")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (td.errors.InvalidArgumentError(None, None, "wrong"), td.errors.InvalidArgumentError),
        (ZeroDivisionError("wrong"), td.errors.InternalError),
    ],
)
def test_whatever_a_kernel_factory_raises_is_told_in_the_run(
    error: Exception, kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_: Any) -> Any:
        raise error

    monkeypatch.setattr(CHECKED, "kernel_factory", failing)
    with td.Graph().as_default(), td.Session() as session:
        y = CHECKED(td.constant(1.0))
        for _ in range(2):
            with pytest.raises(kind, match="wrong"):
                session.run(y)
