"""Names of TensorFlow's own, public nowhere, that packages of the time build upon."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.programs.tensorflow_names import module_called


def inner(name: str) -> Any:
    found = module_called(f"tensorflow.{name}")
    assert found is not None
    return found


def test_slices_are_assigned_to_inside_branches() -> None:
    for use_resource in (False, True):
        with td.Graph().as_default(), td.Session() as session:
            with td.variable_scope("", use_resource=use_resource):
                v = td.get_variable("v", [4], initializer=td.zeros_initializer())
            start = td.placeholder(td.int32, [])

            def changed() -> Any:
                with td.control_dependencies([v[start : start + 2].assign([3.0, 4.0])]):  # noqa: B023
                    return td.constant(1)

            picked = td.cond(start > 0, changed, lambda: td.constant(0))
            session.run(v.initializer)
            assert session.run(picked, {start: 0}) == 0
            assert not session.run(v).any()
            assert session.run(picked, {start: 1}) == 1
            assert session.run(v).tolist() == [0, 3, 4, 0]


def test_what_packages_of_the_time_take_under_private_names() -> None:
    ops = inner("python.framework.ops")
    with td.Graph().as_default(), td.Session() as session:
        x, w = td.constant([1.0]), td.Variable([2.0])
        values: list[Any] = [x, td.SparseTensor([[0]], [1.0], [2]), w, 1]
        assert [isinstance(it, ops._TensorLike) for it in values] == [
            True,
            True,
            False,
            False,
        ]
        assert [ops.is_dense_tensor_like(it) for it in values] == [
            True,
            False,
            True,
            False,
        ]
        assert str(x.shape._dims) == str(x.shape.dims)
        assert td.TensorShape(None)._dims is None
        optimizer = td.train.MomentumOptimizer(0.1, 0.9)
        optimizer.minimize(w * w)
        [slot] = optimizer._slots["momentum"].values()
        assert slot is optimizer.get_slot(w, "momentum")
        session.run(td.global_variables_initializer())
        hooked = inner("python.training.monitored_session")._HookedSession(session, [])
        assert hooked.run(w, None, None, None).tolist() == [2.0]
        assert not hooked.should_stop()
    evaluation = inner("python.training.evaluation")
    assert evaluation._StopAfterNEvalsHook is td.contrib.training.StopAfterNEvalsHook
    debug = inner("python.debug")
    with pytest.raises(NotImplementedError, match=r"DumpingDebugWrapperSession.*td\.Print"):
        debug.DumpingDebugWrapperSession(session)
    assert debug.has_inf_or_nan(None, np.array([1.0, np.nan]))
    assert not debug.has_inf_or_nan(None, np.array([b"nan"], object))


def test_scopes_and_tags_of_summaries() -> None:
    util = inner("python.ops.summary_op_util")
    with td.Graph().as_default() as graph, td.name_scope("outer"):
        with util.summary_scope("a b", "fam ily") as (tag, scope):
            assert (tag, scope) == ("fam_ily/outer/fam_ily/a_b", "outer/fam_ily/a_b/")
        util.collect("it", None, ["found"])
        util.collect("other", ["else"], ["found"])
        assert graph.get_collection("found") == ["it"]
        assert util.clean_tag("/a?b") == "a_b"
        assert util.skip_summary() is False
