"""A named size is one number in a run."""

from __future__ import annotations

import numpy as np
import pytest

import tensordraft as td
from tensordraft.shape_inference.size_facts import decoded_facts


def test_an_error_names_both_feeds(session: td.Session) -> None:
    x = td.placeholder(td.float32, ["n"], name="x")
    y = td.placeholder(td.float32, [2, "n"], name="y")
    z = x + y
    call = session.make_callable(z, [x, y])
    assert session.run(z, {x: [1, 2], y: np.ones([2, 2])}).tolist() == [[2, 3], [2, 3]]
    wrong = ([1.0], np.ones([2, 3], np.float32))
    message = r"shape \(2, 3\).*'y:0'.*n = 1 .*'x:0'"
    with pytest.raises(ValueError, match=message):
        session.run(z, {x: wrong[0], y: wrong[1]})
    with pytest.raises(ValueError, match=message):
        call(*wrong)


def test_a_name_may_occur_twice_in_one_shape(session: td.Session) -> None:
    x = td.placeholder(td.float32, ["n", "n"], name="x")
    assert session.run(td.shape(x), {x: np.ones([3, 3])}).tolist() == [3, 3]
    with pytest.raises(ValueError, match=r"shape \(2, 4\).*'x:0'.*n = 2"):
        session.run(x, {x: np.ones([2, 4])})


def test_expressions_of_names_are_held_to_them(session: td.Session) -> None:
    x = td.placeholder(td.float32, ["n"], name="x")
    twice = td.concat([x, x], 0)
    assert session.run(twice + 1.0, {x: [1], twice: [1, 2]}).tolist() == [2, 3]
    with pytest.raises(ValueError, match=r"shape \(3,\).*2\*n.*n = 1 .*'x:0'"):
        session.run(twice + 1.0, {x: [1], twice: [1, 2, 3]})
    assert session.run(twice + 1.0, {twice: [1, 2, 3]}).tolist() == [2, 3, 4]


def test_sizes_without_names_are_free(session: td.Session) -> None:
    x, y = (td.placeholder(td.float32, [None]) for _ in range(2))
    other = td.placeholder(td.float32, ["n"])
    assert session.run(x + y + other, {x: [1], y: [1, 2], other: [0]}).tolist() == [2, 3]


def test_names_are_bound_over_the_calls_of_a_partial_run(session: td.Session) -> None:
    x = td.placeholder(td.float32, ["n"], name="x")
    y = td.placeholder(td.float32, ["n"], name="y")
    first, second = x * 2.0, y * 2.0
    handle = session.partial_run_setup([first, second], [x, y])
    session.partial_run(handle, first, {x: [1, 2]})
    with pytest.raises(ValueError, match=r"'y:0'.*n = 2 .*'x:0'"):
        session.partial_run(handle, second, {y: [1, 2, 3]})
    assert session.partial_run(handle, second, {y: [3, 4]}).tolist() == [6, 8]


def test_what_is_known_of_a_size_makes_more_known(session: td.Session) -> None:
    seq = td.Size("seq", min=1, max=512, multiple_of=8)
    x = td.placeholder(td.float32, ["batch", seq, 4], name="x")
    tiles = td.reshape(x, [-1, 8, 4])
    assert str(tiles.shape) == "(batch*(seq//8), 8, 4)"
    assert str(td.reshape(tiles, [-1, 4]).shape) == "(batch*seq, 4)"
    assert str(td.split(x, 4, axis=1)[0].shape) == "(batch, seq//4, 4)"
    assert seq % 4 == 0
    assert seq <= 512
    assert not seq < 8  # it is at least 1, so at least 8
    assert str(seq * 3 // 8 * 8) == "3*seq"
    assert session.run(td.shape(tiles), {x: np.zeros([2, 16, 4])}).tolist() == [4, 8, 4]


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (12, "seq must be a multiple of 8, got 12"),
        (520, "seq must be at most 512, got 520"),
        (0, "seq must be at least 8, got 0"),
    ],
)
def test_a_run_checks_what_is_known_of_a_size(session: td.Session, size: int, message: str) -> None:
    x = td.placeholder(td.float32, [td.Size("seq", min=1, max=513, multiple_of=8)], name="x")
    y = td.identity(x * 2.0)
    with pytest.raises(ValueError, match=rf"'x:0', which has shape \(seq,\): {message}"):
        session.run(y, {x: np.zeros(size)})
    with pytest.raises(ValueError, match=message):
        session.run(y + 1.0, {y: np.zeros(size)})
    assert session.run(y, {x: np.zeros(8)}).shape == (8,)


def test_files_keep_what_is_known_of_a_size() -> None:
    with td.Graph().as_default() as graph:
        td.placeholder(td.float32, [td.Size("seq", max=512, multiple_of=8), "n"], name="x")
    written = graph.as_graph_def()
    [node] = written.node
    assert [dim.name for dim in node.attr["shape"].shape.dim] == ["seq", "n"]
    with td.Graph().as_default() as read:
        td.import_graph_def(written, name="")
    assert read.as_graph_def() == written
    seq = read.tensor("x:0").shape[0]
    assert seq % 8 == 0
    assert not seq > 512
    report = td.check_graph(graph, {"x": [td.Size("seq", max=512, multiple_of=8), "n"]})
    assert report.ok


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"{", b'{"n": 3}', b'{"n": {"most": 3}}', b'{"n": {"max": -1}}', b"\xff"]
)
def test_malformed_facts_are_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match="malformed"):
        decoded_facts(text)


@pytest.mark.parametrize(
    ("facts", "error"),
    [
        ({"max": -1}, ValueError),
        ({"multiple_of": 0}, ValueError),
        ({"min": 1, "max": 7, "multiple_of": 8}, ValueError),
        ({"max": 2.0}, TypeError),
        ({"min": None}, TypeError),
    ],
)
def test_facts_that_nothing_fits(facts: dict[str, int], error: type[Exception]) -> None:
    with pytest.raises(error, match="size 'n'"):
        td.Size("n", **facts)
