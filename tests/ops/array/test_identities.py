"""Ops that hand on what they get."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Case
from harness import check, covers
from shape_language import infers

import tensordraft as td

X = np.array([[1, 2, 3]], np.float32)
CASES = [
    *(
        Case(op, [X], {}, X)
        for op in ("Copy", "CopyHost", "DebugGradientIdentity", "DebugIdentity", "GuaranteeConst")
    ),
    Case("DeepCopy", [X], {}, X),
    Case("DeepCopy", [["a"]], {}, ["a"], id="strings"),
    Case("FakeParam", [], {"dtype": td.int32, "shape": [2, 0]}, np.zeros((2, 0), np.int32)),
    Case(
        "FakeParam",
        [],
        {"dtype": td.int32, "shape": [None, 3]},
        np.zeros((0, 3), np.int32),
        dynamic=True,
        id="unknown",
    ),
]
test_identities = check(CASES)
covers("DebugGradientRefIdentity", "RefIdentity", "RefSelect")


def test_shapes() -> None:
    infers("GuaranteeConst", "[n,3]", "[n,3]")
    infers("DeepCopy", "[n,3]", "[n,3]")
    infers("FakeParam", "", "[2,?]", dtype=td.int32, shape=[2, None])


def test_references_are_handed_on() -> None:
    with td.Graph().as_default(), td.Session() as session:
        a, b = (td.raw_ops.VariableV2(shape=[2], dtype=td.float32) for _ in range(2))
        first = [td.raw_ops.Assign(ref=x, value=[1.0, n]) for x, n in ((a, 2.0), (b, 3.0))]
        session.run(first)
        index = td.placeholder(td.int32, [])
        chosen = td.raw_ops.RefSelect(index=index, inputs=[a, b])
        same = td.raw_ops.RefIdentity(input=td.raw_ops.DebugGradientRefIdentity(input=chosen))
        assert (same.dtype, same.shape.as_list()) == (td.float32_ref, [2])
        change = td.raw_ops.AssignAdd(ref=same, value=[10.0, 10.0])
        assert session.run(change, {index: 1}).tolist() == [11, 13]
        assert session.run([a, b])[0].tolist() == [1, 2]
        assert session.run(same, {index: 1}).tolist() == [11, 13]
        with pytest.raises(td.errors.InvalidArgumentError, match=r"index = 2 is not in \[0, 2\)"):
            session.run(same, {index: 2})
