"""Names that are nearly right: what is like them in a graph is listed."""

from __future__ import annotations

import pytest

import tensordraft as td
from tensordraft.runtime.suggestions import nearest

TOWERS = [f"tower_{i}/loss" for i in range(4)]


@pytest.mark.parametrize(
    ("name", "known", "listed"),
    [
        ("loss", TOWERS, "'tower_0/loss', 'tower_1/loss' or 'tower_2/loss'"),
        ("lossq", ["a/loss", "b/other"], "'a/loss'"),
        ("acuracy", ["accuracy", "eval/accuracy", "x"], "'accuracy' or 'eval/accuracy'"),
        ("LOSS", ["los", "loss"], "'loss'"),
        ("zzz", TOWERS, ""),
        ("x", [], ""),
    ],
)
def test_what_is_listed(name: str, known: list[str], listed: str) -> None:
    assert nearest(name, known) == (f"; did you mean {listed}?" if listed else "")


def test_a_fetch_lists_the_nearest_names() -> None:
    with td.Graph().as_default(), td.Session() as session:
        for scope in ("train", "eval"):
            td.constant(1.0, name=f"{scope}/accuracy")
        for fetch in ("accuracy", "accuracy:0", "train/acuracy:0"):
            with pytest.raises(ValueError, match=r"did you mean '.*' or '.*/accuracy'\?"):
                session.run(fetch)
