"""Nested structures: `td.nest`."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, NamedTuple

import pytest

import tensordraft as td


class Point(NamedTuple):
    """Two leaves."""

    x: Any
    y: Any


def test_there_and_back() -> None:
    structure = OrderedDict([("b", [1, Point(2, (3,))]), ("a", {"z": 4})])
    leaves = td.nest.flatten(structure)
    assert leaves == [4, 1, 2, 3]
    again = td.nest.pack_sequence_as(structure, leaves)
    assert again == structure
    assert list(again) == ["b", "a"]
    assert isinstance(again["b"][1], Point)
    doubled = td.nest.map_structure(lambda x: 2 * x, structure)
    assert doubled["b"] == [2, Point(4, (6,))]
    assert td.nest.flatten(None) == [None]
    assert td.contrib.framework.nest.is_sequence([])
    assert not td.nest.is_nested("text")


def test_what_is_not_alike() -> None:
    with pytest.raises(ValueError, match="must have 2 elements, got 1"):
        td.nest.pack_sequence_as([0, 0], [1])
    with pytest.raises(TypeError, match="func must be callable"):
        td.nest.map_structure(3, [1])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least one structure"):
        td.nest.map_structure(abs)
    with pytest.raises(ValueError, match="the same nested structure"):
        td.nest.map_structure(max, [1, 2], [1])
    with pytest.raises(TypeError, match="the same nested structure"):
        td.nest.assert_same_structure([1], (1,))
