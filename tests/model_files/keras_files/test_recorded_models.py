"""Models of all layers and operations that Keras 2 and 3 write, against what they compute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tensordraft as td

from . import recorded_models

pytest.importorskip("h5py")


# Layers are alike in both forms of file: those of each version are always tried in one of them.
_USUAL = {"h5": "2", "keras": "3"}


def _cases(form: str) -> list[Any]:
    return [
        pytest.param(model, id=name, marks=() if name.endswith(_USUAL[form]) else pytest.mark.soak)
        for name, model in recorded_models.recorded(form)
    ]


def _check(path: str, model: dict[str, Any]) -> None:
    feeds = [
        recorded_models.fed(shape, dtype, number)
        for number, (shape, dtype) in enumerate(model["inputs"])
    ]
    with td.load(path) as loaded:
        outputs = loaded(*feeds)
        named = outputs if isinstance(outputs, dict) else dict.fromkeys(loaded.outputs, outputs)
    assert recorded_models.differences(model, named) == {}


@pytest.mark.parametrize("model", _cases("h5"))
def test_hdf5_file_computes_what_keras_does(model: dict[str, Any], tmp_path: Path) -> None:
    _check(recorded_models.write(tmp_path / "m.h5", model), model)


@pytest.mark.parametrize("model", _cases("keras"))
def test_archive_computes_what_keras_does(model: dict[str, Any], tmp_path: Path) -> None:
    _check(recorded_models.write(tmp_path / "m.keras", model), model)
