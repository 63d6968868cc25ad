"""A disk that is full in mid-save: the error names the file, and the checkpoint before is whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td

resource: Any = pytest.importorskip("resource", reason="files have no limit on this system")


@contextmanager
def full_after(size: int) -> Iterator[None]:
    """A system that lets no file grow beyond `size` bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(
    "settings",
    [{}, {"sharded": True}, {"write_version": td.train.SaverDef.V1}],
    ids=["whole", "sharded", "version 1"],
)
@pytest.mark.parametrize("size", [0, 4096])
def test_the_checkpoint_before_stays(size: int, settings: dict[str, Any], tmp_path: Path) -> None:
    with td.Graph().as_default(), td.Session() as session:
        v = td.Variable(np.arange(5000.0), name="v")
        saver = td.train.Saver(**settings)
        session.run(v.initializer)
        path = saver.save(session, tmp_path / "model", global_step=1)
        files = sorted(os.listdir(tmp_path))
        with (
            full_after(size),
            pytest.raises(td.errors.ResourceExhaustedError, match="model-2"),
        ):
            saver.save(session, tmp_path / "model", global_step=2)
        assert sorted(os.listdir(tmp_path)) == files
        assert td.train.latest_checkpoint(tmp_path) == path
        session.run(v.assign(td.zeros_like(v)))
        saver.restore(session, path)
        assert session.run(v).tolist() == [*range(5000)]


def test_a_monitored_session_tells_and_leaves_what_was(tmp_path: Path) -> None:
    folder = str(tmp_path)
    with td.Graph().as_default():
        v, step = td.Variable(np.zeros(5000)), td.train.create_global_step()
        train = td.group(v.assign_add(np.ones(5000)), step.assign_add(1))
        arguments: dict[str, Any] = {"save_checkpoint_steps": 1, "save_summaries_steps": None}

        def trained() -> None:
            with td.train.MonitoredTrainingSession(checkpoint_dir=folder, **arguments) as session:
                session.run(train)
                with full_after(2048):
                    session.run(train)

        with pytest.raises(td.errors.ResourceExhaustedError):
            trained()
        assert td.train.latest_checkpoint(folder) == os.path.join(folder, "model.ckpt-1")
        with td.train.MonitoredTrainingSession(checkpoint_dir=folder, **arguments) as session:
            assert session.run(step) == 1
            assert session.run(v).tolist() == [1.0] * 5000
