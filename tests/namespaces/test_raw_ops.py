"""`td.raw_ops`: every op type, by keywords alone."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.graph import registry


def value(tensor: Any) -> Any:
    with td.Session(graph=tensor.graph) as session:
        return session.run(tensor)


def test_every_registered_op_is_there() -> None:
    names = dir(td.raw_ops)
    every = [definition.name for definition in registry.definitions()]
    assert names == [name for name in every if not name.startswith("_")]
    for name in names:
        function = getattr(td.raw_ops, name)
        kinds = {p.kind for p in inspect.signature(function).parameters.values()}
        assert (function.__name__, kinds) == (name, {inspect.Parameter.KEYWORD_ONLY})


def test_ops_are_made_as_by_the_public_functions() -> None:
    with td.Graph().as_default():
        x = td.raw_ops.Add(x=[1, 2], y=td.constant(3), name="sum")
        assert (x.op.type, x.op.name) == ("Add", "sum")
        assert value(x).tolist() == [4, 5]
        assert value(td.raw_ops.BroadcastArgs(s0=[2, 1], s1=[1, 5])).tolist() == [2, 5]
        assert value(td.raw_ops.ConcatV2(values=[[1], [2]], axis=0)).tolist() == [1, 2]
        unique = td.raw_ops.Unique(x=[1, 1, 2], out_idx=td.int64)
        assert (unique.y.dtype, unique.idx.dtype) == (td.int32, td.int64)
        assert td.raw_ops.NoOp(name="nothing").type == "NoOp"


def test_a_resource_variable_by_its_ops() -> None:
    with td.Graph().as_default(), td.Session() as session:
        handle = td.raw_ops.VarHandleOp(dtype=td.float32, shape=[2])
        session.run(
            td.raw_ops.AssignVariableOp(resource=handle, value=np.array([1, 2], np.float32))
        )
        read = td.raw_ops.ReadVariableOp(resource=handle, dtype=td.float32)
        assert session.run(read).tolist() == [1, 2]
        assert session.run(td.raw_ops.VariableShape(input=handle)).tolist() == [2]


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("Sum", {"input": [[1, 2], [3, 4]], "axis": 0}, [4, 6]),
        ("Mean", {"input": [[1.0, 3.0]], "axis": [1], "keep_dims": True}, [[2]]),
        ("ExpandDims", {"input": [1], "axis": 0}, [[1]]),
        ("Squeeze", {"input": [[1]], "axis": [0]}, [1]),
        ("Select", {"condition": [True, False], "x": [1, 2], "y": [3, 4]}, [1, 4]),
        ("Where", {"condition": [True, False, True]}, [[0], [2]]),
    ],
)
def test_arguments_have_the_names_of_tensorflow(
    name: str, arguments: dict[str, Any], expected: Any
) -> None:
    with td.Graph().as_default():
        assert value(getattr(td.raw_ops, name)(**arguments)).tolist() == expected


def test_what_is_refused() -> None:
    with td.Graph().as_default() as graph:
        with pytest.raises(TypeError):
            td.raw_ops.Add(1, 2)
        with pytest.raises(TypeError, match=r"raw_ops\.Add lacks y; it takes x, y"):
            td.raw_ops.Add(x=1)
        with pytest.raises(TypeError, match="Add takes no z"):
            td.raw_ops.Add(x=1, y=2, z=3)
        with pytest.raises(AttributeError, match="NoSuchOp"):
            td.raw_ops.NoSuchOp  # noqa: B018
        assert graph.get_operations() == []
