"""Training that continues from TensorFlow's checkpoints, and TensorFlow's from ours, as recorded.

What TensorFlow did with our files is in `results.json`; that we still write these files is a test.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exchange_model import FEATURES, build, train
from places import GOLDEN

import tensordraft as td

FOLDER = GOLDEN / "exchange"
RESULTS: dict[str, Any] = json.loads((FOLDER / "results.json").read_text())


@pytest.mark.parametrize("name", ["model", "sharded", "old"])
def test_training_goes_on_from_a_checkpoint_of_tensorflow(name: str) -> None:
    path = FOLDER / "theirs" / name
    with td.Graph().as_default(), td.Session() as session:
        saver = td.train.import_meta_graph(f"{path}.meta")
        assert saver is not None
        saver.restore(session, path)
        np.testing.assert_allclose(train(session, 5), RESULTS["from theirs"], rtol=1e-6)
        assert session.run(td.train.get_global_step()) == 10
    with td.Graph().as_default(), td.Session() as session:
        build(td)
        td.train.Saver().restore(session, path)
        np.testing.assert_allclose(train(session, 5), RESULTS["from theirs"], rtol=1e-6)


@pytest.mark.parametrize("name", ["model-5", "sharded"])
def test_training_goes_on_from_ours_as_it_did_in_tensorflow(name: str) -> None:
    with td.Graph().as_default(), td.Session() as session:
        saver = td.train.import_meta_graph(FOLDER / "ours" / f"{name}.meta")
        assert saver is not None
        saver.restore(session, FOLDER / "ours" / name)
        np.testing.assert_allclose(train(session, 5), RESULTS[f"from {name}"], rtol=1e-6)


def test_what_is_written_is_what_tensorflow_has_read(tmp_path: Path) -> None:
    with td.Graph().as_default(), td.Session() as session:
        build(td)
        savers = {
            "model-5": td.train.Saver(),
            "sharded": td.train.Saver(sharded=True),
            "old": td.train.Saver(write_version=td.train.SaverDef.V1),
        }
        savers["model-5"].restore(session, FOLDER / "ours" / "model-5")
        for name, saver in savers.items():
            saver.save(session, tmp_path / name, write_meta_graph=False, write_state=False)
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (FOLDER / "ours" / path.name).read_bytes(), path.name
    assert sorted(RESULTS["old"].items()) == td.train.list_variables(tmp_path / "old")


def test_a_saved_model_gives_what_it_gave_in_tensorflow() -> None:
    folder = FOLDER / "ours" / "saved"
    result = td.run_graph(folder, {"x": FEATURES})
    np.testing.assert_allclose(result["y"], RESULTS["saved"], rtol=1e-6)
    with td.load(folder).session() as session:
        assert Path(session.run("kept:0").decode()).read_text() == RESULTS["asset"] == "one\ntwo\n"
