"""Stacks, and what waits for those who use them."""

from __future__ import annotations

from typing import Any

import pytest
from harness import covers

import tensordraft as td
from tensordraft import raw_ops

pytestmark = pytest.mark.usefixtures("graph")
covers("Stack", "StackPush", "StackPop", "StackClose")
covers("StackV2", "StackPushV2", "StackPopV2", "StackCloseV2")
covers("ControlTrigger")

VERSIONS = ["V2", ""]
F = td.float32


def run(fetches: Any, feeds: Any = None) -> Any:
    with td.Session() as session:
        return session.run(fetches, feeds)


def made(version: str, **arguments: Any) -> Any:
    size = {"max_size": -1} if version else {}
    return getattr(raw_ops, f"Stack{version}")(elem_type=F, **{**size, **arguments})


def op(name: str, version: str, *controls: Any, **arguments: Any) -> Any:
    with td.control_dependencies(list(controls)):
        return getattr(raw_ops, f"Stack{name}{version}")(**arguments)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_last_tensor_comes_first(version: str) -> None:
    stack = made(version)
    first = op("Push", version, handle=stack, elem=[1.0, 2.0])
    second = op("Push", version, first, handle=stack, elem=3.0)
    one = op("Pop", version, second, handle=stack, elem_type=F)
    two = op("Pop", version, one, handle=stack, elem_type=F)
    assert first.shape.as_list() == [2]
    assert one.shape.rank is None
    results = run([first, one, two])
    assert [item.tolist() for item in results] == [[1, 2], 3, [1, 2]]


@pytest.mark.parametrize("version", VERSIONS)
def test_each_run_has_a_stack_of_its_own(version: str) -> None:
    stack = made(version)
    push = op("Push", version, handle=stack, elem=1.0)
    one = op("Pop", version, push, handle=stack, elem_type=F)
    two = op("Pop", version, one, handle=stack, elem_type=F)
    with td.Session() as session:
        session.run(push)
        with pytest.raises(td.errors.InvalidArgumentError, match="the stack is empty"):
            session.run(two)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_closed_stack(version: str) -> None:
    stack = made(version)
    end = op("Close", version, handle=stack)
    push = op("Push", version, end, handle=stack, elem=1.0)
    with pytest.raises(td.errors.InvalidArgumentError, match="the stack has been closed"):
        run(push)


def test_a_full_stack() -> None:
    stack = made("V2", max_size=1)
    first = op("Push", "V2", handle=stack, elem=1.0)
    second = op("Push", "V2", first, handle=stack, elem=1.0)
    with pytest.raises(td.errors.InvalidArgumentError, match="full: max_size = 1"):
        run(second)


@pytest.mark.parametrize("name", ["Push", "Pop"])
def test_another_dtype(name: str) -> None:
    stack = made("V2")
    push = op("Push", "V2", handle=stack, elem=1.0 if name == "Pop" else 1)
    pop = op("Pop", "V2", push, handle=stack, elem_type=td.int32)
    with pytest.raises(td.errors.InvalidArgumentError, match=r"of float32, (got|asked for) int32"):
        run(pop)


def test_a_trigger_waits() -> None:
    v = td.Variable(1.0, use_resource=True)
    with td.control_dependencies([v.assign_add(1.0)]):
        trigger = raw_ops.ControlTrigger()
    with td.Session() as session:
        session.run(v.initializer)
        session.run(trigger)
        assert session.run(v) == 2.0
