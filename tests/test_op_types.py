"""docs/op_types.txt: every op type of TensorFlow r1.15 works, or has the reason why it does not."""

from __future__ import annotations

from collections import Counter

from places import ROOT

from tensordraft.graph.registry import find

BLOCKS = (ROOT / "docs" / "op_types.txt").read_text(encoding="utf-8").split("\n\n")[1:]
GROUPS = {said: names.split() for said, _, names in (block.partition(":\n") for block in BLOCKS)}
ALL = GROUPS.pop("all")
REASON = {name: said for said, names in GROUPS.items() for name in names}


def test_the_list_is_whole() -> None:
    assert len(ALL) == len(set(ALL)) == 1285
    assert {"Abs", "Where", "ZipDataset", "_Send"} <= set(ALL)
    assert max(Counter(name for names in GROUPS.values() for name in names).values()) == 1
    assert all(len(said.split()) > 3 for said in GROUPS)


def test_every_op_type_works_or_has_the_reason_why_not() -> None:
    assert [name for name in ALL if not find(name) and name not in REASON] == []
    assert set(REASON) - set(ALL) == set()


def test_what_works_has_no_reason_not_to() -> None:
    assert [name for name in REASON if find(name)] == [], "run `make docs`"
