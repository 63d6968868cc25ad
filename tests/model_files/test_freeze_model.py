"""Models frozen whose variables are read inside of loops and branches that the run decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td


def looped(x: Any, w: Any) -> Any:
    return td.while_loop(
        lambda i, _: i < td.cast(x[0, 0], td.int32),
        lambda i, y: (i + 1, td.tanh(td.matmul(y, w)) + td.gather(w, [0, 1])),
        [0, x],
    )[1]


def branched(x: Any, w: Any) -> Any:
    return td.cond(
        x[0, 0] > 1.0,
        lambda: looped(x, w) * td.cast(td.shape(w)[0], td.float32),
        lambda: x - w.sparse_read([1]),
    )


@pytest.mark.parametrize("model", [looped, branched])
def test_variables_inside_of_bodies_become_constants(model: Any, tmp_path: Path) -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [2, 2], name="x")
        w = td.get_variable("w", initializer=[[0.5, 1.0], [-1.0, 0.25]], use_resource=True)
        td.identity(model(x, w), name="y")
        session.run(w.initializer)
        path = td.train.Saver().save(session, tmp_path / "m")
        feeds = [np.array([[first, 2.0], [1.0, -1.0]], np.float32) for first in (3.0, 0.5)]
        wanted = [session.run("y:0", {"x:0": value}).tolist() for value in feeds]
    frozen = td.graph_util.freeze_model(f"{path}.meta", ["y"])
    assert not {node.op for node in frozen.node} & {"VarHandleOp", "ReadVariableOp"}
    with td.Graph().as_default(), td.Session() as session:
        td.import_graph_def(frozen, name="")
        assert [session.run("y:0", {"x:0": value}).tolist() for value in feeds] == wanted
