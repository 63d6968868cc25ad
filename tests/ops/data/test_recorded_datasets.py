"""Elements, their order, shapes and dtypes are TensorFlow's: see tests/golden/make_datasets.py."""

from __future__ import annotations

import json

import pytest
from golden import dataset_cases, dataset_records
from places import GOLDEN

import tensordraft as td

FOUND = json.loads(GOLDEN.joinpath("datasets.json").read_text())


@pytest.mark.parametrize("name", dataset_cases.CASES)
def test_datasets_are_those_of_tensorflow(name: str) -> None:
    assert dataset_records.recorded(td, dataset_cases.CASES[name]) == FOUND[name]
