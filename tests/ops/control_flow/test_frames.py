"""Frames without a loop, and IndexedSlices where control flow passes them on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.tf1.import_hook.tensorflow_names import module_called


def control_flow_ops() -> Any:
    return module_called("tensorflow.python.ops.control_flow_ops")


def test_a_frame_without_a_loop_runs_once() -> None:
    enter, leave = td.raw_ops.Enter, control_flow_ops().exit
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [2])
        inside = enter(data=x, frame_name="f") * enter(data=td.constant(3.0), frame_name="f")
        assert inside.shape.as_list() == [2]
        later = control_flow_ops().next_iteration(inside)
        assert session.run(leave(later), {x: [1.0, 2.0]}).tolist() == [3.0, 6.0]


def test_references_go_through_frames() -> None:
    ops = control_flow_ops()
    with td.Graph().as_default(), td.Session() as session:
        v = td.Variable(7)
        same = ops._Identity(v)
        assert same.op.type == "RefIdentity"
        entered = ops._Enter(same, "f", is_constant=True)
        changed = td.assign(entered, ops._Enter(td.constant(9), "f"))
        left = ops.exit(changed)
        session.run(v.initializer)
        assert session.run(left) == 9
        assert session.run(v) == 9


def slices(rows: Any, indices: Any) -> td.IndexedSlices:
    return td.IndexedSlices(td.constant(rows), td.constant(indices))


def test_slices_are_switched_and_merged() -> None:
    ops = control_flow_ops()
    with td.Graph().as_default(), td.Session() as session:
        pred = td.placeholder(td.bool, [])
        off, on = ops.switch(slices([1, 2], [0, 4]), pred)
        off = td.IndexedSlices(off.values * 10, off.indices)
        merged = ops.merge([off, on]).output
        for value, expected in ((True, [1, 2]), (False, [10, 20])):
            found = session.run(merged, {pred: value})
            assert found.values.tolist() == expected
            assert found.indices.tolist() == [0, 4]


def test_indices_of_branches_become_int64() -> None:
    with td.Graph().as_default(), td.Session() as session:
        pred = td.placeholder(td.bool, [])
        narrow = slices([1.0], [3])
        wide = td.IndexedSlices(td.constant([2.0]), td.constant([5], td.int64))
        found = td.cond(pred, lambda: narrow, lambda: wide)
        assert found.indices.dtype == td.int64
        assert session.run(found, {pred: True}).indices.tolist() == [3]
        assert session.run(found, {pred: False}).indices.tolist() == [5]


def test_slices_wait_for_dependencies() -> None:
    with td.Graph().as_default(), td.Session() as session:
        v = td.Variable(np.array([[0.0, 1.0], [10.0, 11.0]], np.float32))
        rows = td.IndexedSlices(v, td.constant([1]))
        later = td.with_dependencies([v.initializer], rows)
        with pytest.raises(td.errors.FailedPreconditionError, match="uninitialized value Variable"):
            session.run(rows.values)
        assert session.run(td.gather(later.values, later.indices)).tolist() == [[10.0, 11.0]]
        first, none = td.tuple([rows, None])
        assert none is None
        assert session.run(first).indices.tolist() == [1]


def test_shapes_of_merges() -> None:
    merge = control_flow_ops().merge
    with td.Graph().as_default():
        known, other = td.placeholder(td.float32, [1, 2]), td.placeholder(td.float32, [None, 2])
        assert merge([known, known]).output.shape.as_list() == [1, 2]
        assert merge([known, other]).output.shape.as_list() == [None, 2]
        assert merge([known, td.placeholder(td.float32)]).output.shape.rank is None
        output, index = merge([known, other])
        assert index.shape.as_list() == []
        with pytest.raises(td.errors.UnimplementedError, match="Merge"), td.Session() as session:
            session.run(output, {known: [[1.0, 2.0]], other: [[1.0, 2.0]]})


def test_a_group_waits_on_each_device() -> None:
    with td.Graph().as_default():
        with td.device("/task:0"):
            a, b = td.constant(0, name="a"), td.constant(0, name="b")
        alone = td.group(a, b, name="alone")
        assert (alone.device, alone.name) == ("/task:0", "alone")
        with td.device("/task:1"):
            c = td.constant(0, name="c")
        root = td.group(a, b, c, name="root")
        assert (root.device, root.name) == ("", "root")
        parts = root.control_inputs
        assert [op.name for op in parts] == ["root/NoOp", "root/NoOp_1"]
        assert [op.device for op in parts] == ["/task:0", "/task:1"]
        assert [op.name for op in parts[0].control_inputs] == ["a", "b"]
