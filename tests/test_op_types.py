"""docs/op_types.txt: every op type of TensorFlow r1.15 works, or has the reason why it does not."""

from __future__ import annotations

from collections import Counter

import pytest
from places import ROOT

from tensordraft.graph.registry import find

BLOCKS = (ROOT / "docs" / "op_types.txt").read_text(encoding="utf-8").split("\n\n")[1:]
GROUPS = {
    said.replace("\n", " "): names.split()
    for said, _, names in (block.partition(":\n") for block in BLOCKS)
}


def test_every_op_type_is_said_once_to_work_or_why_not() -> None:
    counts = Counter(name for names in GROUPS.values() for name in names)
    assert len(counts) == 1285
    assert not [name for name, count in counts.items() if count > 1]
    assert all(len(said) > len("works") for said in GROUPS if said != "works")


@pytest.mark.parametrize("said", GROUPS)
def test_what_is_said_is_so(said: str) -> None:
    wrong = [name for name in GROUPS[said] if bool(find(name)) != (said == "works")]
    assert not wrong, "run `make docs`"
