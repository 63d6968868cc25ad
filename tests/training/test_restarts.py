"""Training interrupted halfway continues in a new process, bit for bit as without a break."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import training_inputs
from training_inputs import OPTIMIZERS, STEPS, training

import tensordraft as td

HALF = STEPS // 2
ALL = [*itertools.product(OPTIMIZERS, [False, True])]


def second_half(session: td.Session, loss: Any, train: Any) -> dict[str, Any]:
    """The losses of the steps after the checkpoint, and all variables after the last."""
    losses = [session.run([loss, train])[0] for _ in range(HALF)]
    values = session.run({v.op.name: v for v in td.global_variables()})
    return {"losses": np.array(losses), **values}


def key_of(name: str, use_resource: bool) -> str:
    return f"{name}-{use_resource}"


def go_on(folder: str) -> None:
    """Restores each checkpoint in a folder, does the steps that are left, and writes results."""
    for case in ALL:
        path = f"{folder}/{key_of(*case)}"
        with td.Graph().as_default(), td.Session() as session:
            loss, train = training(td, *case)
            td.train.Saver().restore(session, f"{path}/model-{HALF}")
            np.savez(f"{path}/again.npz", **second_half(session, loss, train))


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, dict[str, Any]]]:
    """Results of the second halves in this process, and a folder with those of another."""
    folder = tmp_path_factory.mktemp("halves")
    found = {}
    for case in ALL:
        with td.Graph().as_default(), td.Session() as session:
            loss, train = training(td, *case)
            session.run(td.global_variables_initializer())
            for _ in range(HALF):
                session.run(train)
            prefix = folder / key_of(*case) / "model"
            prefix.parent.mkdir()
            td.train.Saver().save(session, prefix, global_step=td.train.get_global_step())
            found[key_of(*case)] = second_half(session, loss, train)
    code = (
        "import sys; sys.path[:0] = sys.argv[2:]; import test_restarts as t; t.go_on(sys.argv[1])"
    )
    places = [str(Path(file).parent) for file in (__file__, str(training_inputs.__file__))]
    command = [sys.executable, "-c", code, str(folder), *places]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder, found


@pytest.mark.parametrize(("name", "use_resource"), ALL)
def test_a_new_process_goes_on_bit_for_bit(name: str, use_resource: bool, halves: Any) -> None:
    folder, found = halves
    expected = found[key_of(name, use_resource)]
    with np.load(folder / key_of(name, use_resource) / "again.npz") as again:
        assert sorted(again.files) == sorted(expected)
        assert expected["global_step"] == STEPS
        for key, value in expected.items():
            assert again[key].dtype == value.dtype
            assert again[key].tobytes() == np.asarray(value).tobytes(), key
