"""Connectionist temporal classification: loss, gradient and decoders beside TensorFlow 2.21."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from cases import Case, raises
from harness import check
from shape_language import infers

import tensordraft as td

X = np.random.RandomState(0).normal(size=(4, 2, 3)).astype("f")
LENGTHS = np.array([4, 3], "i")


def sparse(*rows: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """The indices and values of rows of labels."""
    places = [[at, i] for at, row in enumerate(rows) for i in range(len(row))]
    return np.array(places, np.int64).reshape(-1, 2), np.concatenate(rows).astype("i")


def softmax(x: Any) -> Any:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def loss_by_paths(x: np.ndarray, labels: list[int], merges: bool = True) -> float:
    """The loss by all paths: those that become the labels without repetitions and blanks."""
    shares, total = softmax(x.astype("d")), 0.0
    blank = x.shape[1] - 1
    for path in product(range(blank + 1), repeat=len(x)):
        steps = [c for t, c in enumerate(path) if not (merges and t and path[t - 1] == c)]
        if [c for c in steps if c != blank] == labels:
            total += float(np.prod([shares[t, c] for t, c in enumerate(path)]))
    return -math.log(total) if total else math.inf


def gradient_by_paths(x: np.ndarray, labels: list[int]) -> np.ndarray:
    step, made = 1e-5, np.zeros(x.shape)
    for at in np.ndindex(x.shape):
        moved = [x.astype("d") for _ in range(2)]
        moved[0][at] += step
        moved[1][at] -= step
        ends = [loss_by_paths(value, labels) for value in moved]
        made[at] = (ends[0] - ends[1]) / (2 * step)
    return made


def losses(*rows: list[int], x: np.ndarray = X, n: Any = LENGTHS) -> Any:
    """Loss and gradient by all paths."""
    loss = [loss_by_paths(x[: n[at], at], row) for at, row in enumerate(rows)]
    gradient = np.zeros(x.shape)
    for at, row in enumerate(rows):
        gradient[: n[at], at] = gradient_by_paths(x[: n[at], at], row)
    return np.array(loss).astype(x.dtype), gradient.astype(x.dtype)


def right_but_for(loss: list[float]) -> Any:
    """Checks only the loss."""

    def right(found: Any, _: Any) -> bool:
        return np.allclose(found, loss, rtol=1e-5)

    return right


def longs(*values: Any) -> list[np.ndarray]:
    return [np.array(value, np.int64) for value in values]


CLOSE: Any = {"rtol": 1e-4, "atol": 1e-5}
LOSS = "CTCLoss"
GREEDY = "CTCGreedyDecoder"
BEAM = "CTCBeamSearchDecoder"
IGNORES = {"ignore_longer_outputs_than_inputs": True}
LOSSES = [
    Case(LOSS, [X, *sparse([0, 1], [1, 1]), LENGTHS], expected=losses([0, 1], [1, 1]), **CLOSE),
    Case(
        LOSS,
        [X.astype("d"), *sparse([0], [1]), LENGTHS],
        expected=losses([0], [1], x=X.astype("d")),
        id="double",
        **CLOSE,
    ),
    Case(
        LOSS,
        [X, *sparse([0, 1], [1, 1]), LENGTHS],
        {"preprocess_collapse_repeated": True},
        expected=losses([0, 1], [1]),
        id="collapsed",
        **CLOSE,
    ),
    Case(
        LOSS,
        [X, *sparse([0, 1], [1, 1]), LENGTHS],
        {"ctc_merge_repeated": False},
        expected=right_but_for([3.4938316, 1.7441152]),
        id="unmerged",
    ),
    # What is no label ends the labels; none at all is a row of blanks.
    Case(LOSS, [X, *sparse([0, 2], [7]), LENGTHS], expected=losses([0], []), id="none", **CLOSE),
    Case(
        LOSS,
        [X, *sparse([0, 1, 0], [1]), np.array([2, 3], "i")],
        IGNORES,
        expected=right_but_for([0, 2.354245]),
        id="longer",
    ),
    Case(
        LOSS,
        [X, *sparse([0], [1]), np.array([4, 0], "i")],
        IGNORES,
        expected=right_but_for([1.543366, 0]),
        id="no steps",
    ),
    Case(
        LOSS,
        [X, *sparse([0], [1, 1]), np.array([4, 2], "i")],
        expected=lambda loss, slopes: (
            loss[1] == np.inf and np.allclose(slopes[:2, 1], softmax(X[:2, 1]), atol=1e-6)
        ),
        id="no path",
    ),
    *(
        Case(LOSS, [x, *labels, np.array(n, "i")], expected=raises(clause, "run"), id=clause[:12])
        for x, labels, n, clause in [
            (
                X,
                sparse([0, 1, 0], [1]),
                [2, 3],
                r"labels\[0\] are 3, where sequence_length\[0\] = 2",
            ),
            (X, sparse([0, 1], []), [4, 3], "got none for row 1"),
            (X, sparse([2, 0], [1]), [4, 3], r"labels\[0\] = \[2, 0\] has a label behind"),
            (X, sparse([0], [-1]), [4, 3], r"labels\[1\] = \[-1\] has one that is not in \[0, 2\)"),
            (X, sparse([0], [1]), [-1, 3], r"sequence_length\[0\] = -1 must not be negative"),
            (X, sparse([0], [1]), [4, 5], r"sequence_length\[1\] = 5 is not in \[0, 4\]"),
            (X, sparse([0], [1], [1]), [4, 3], r"labels_indices\[2,0\] = 2 is not in \[0, 2\)"),
            (
                X,
                (np.array([[1, 0], [0, 0]]), [0, 1]),
                [4, 3],
                r"labels_indices\[1\] = \[0, 0\] is out of",
            ),
            (X[:0], sparse([0], [1]), [0, 0], "inputs must be .* and not empty"),
        ]
    ),
    Case(
        LOSS,
        [X, *sparse([0], [1]), [4]],
        expected=raises("sequence_length must|batch of inputs"),
        id="batch",
    ),
]
DECODED = [
    Case(
        GREEDY,
        [X, LENGTHS],
        expected=(
            *longs([[0, 0], [0, 1], [0, 2], [0, 3], [1, 0], [1, 1]], [0, 0, 0, 0, 0, 1], [2, 4]),
            np.array([[-3.7882464], [-5.1892457]], "f"),
        ),
        rtol=1e-6,
        dynamic=True,
    ),
    Case(
        GREEDY,
        [X, LENGTHS],
        {"merge_repeated": True, "blank_index": 0},
        expected=(
            *longs([[1, 0], [1, 1]], [2, 1], [2, 2]),
            np.array([[-3.7882464], [-5.1892457]], "f"),
        ),
        rtol=1e-6,
        dynamic=True,
        id="merged",
    ),
    Case(
        GREEDY,
        [X, LENGTHS],
        {"blank_index": 3},
        expected=raises(r"blank_index = 3 is not in \[-3, 3\)"),
        id="blank",
    ),
    Case(
        BEAM,
        [X, LENGTHS],
        {"beam_width": 3, "top_paths": 3, "merge_repeated": False},
        expected=(
            *longs([[0, 0], [1, 0], [1, 1]], [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1]]),
            *longs([[0, 0], [0, 1], [1, 0]]),
            *longs([0, 0, 1], [0, 1, 0, 1, 1], [0, 0, 0]),
            *longs([2, 2], [2, 3], [2, 2]),
            np.array(
                [[-1.7054296, -1.8693684, -1.9106848], [-0.91179574, -1.8070924, -2.442844]], "f"
            ),
        ),
        rtol=1e-5,
        dynamic=True,
    ),
    Case(
        BEAM,
        [X, LENGTHS],
        {"beam_width": 1, "top_paths": 2},
        expected=raises("top_paths = 2 is more than beam_width = 1"),
        id="width",
    ),
    Case(
        BEAM,
        [X, np.array([4, 0], "i")],
        {"beam_width": 2, "top_paths": 2},
        expected=raises("top_paths = 2 is more than the 1 results of row 1", "run"),
        id="few",
    ),
    Case(
        BEAM,
        [X, np.array([4, 9], "i")],
        {"beam_width": 2, "top_paths": 1},
        expected=raises(r"sequence_length\[1\] = 9 is not in \[0, 4\]", "run"),
        id="length",
    ),
]
CASES = [*LOSSES, *DECODED]


test_ctc = check(CASES)


def test_shapes() -> None:
    infers(LOSS, "[t,b,c];[n,2];[n];[b]", "[b];[t,b,c]")
    infers(LOSS, "?;?;?;?", "[?];[?,?,?]")
    infers(GREEDY, "[t,b,c];[b]", "[?,2];[?];[2];[b,1]")


def test_the_gradient_is_that_of_the_loss_and_there_is_no_second_one() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [None, None, 3])
        labels = td.SparseTensor(*sparse([0, 1], [1, 1]), [2, 2])
        loss = td.nn.ctc_loss(labels, x, LENGTHS, time_major=False)
        slopes = td.gradients(loss, x, [td.constant([1.0, 2.0])])[0]
        found = session.run(slopes, {x: X.swapaxes(0, 1)})
        wanted = losses([0, 1], [1, 1])[1] * np.array([[1], [2]])
        np.testing.assert_allclose(found.swapaxes(0, 1), wanted, atol=1e-4)
        with pytest.raises(LookupError, match="second derivatives of CTC are not known"):
            td.gradients(slopes, x)
        with pytest.raises(TypeError, match="expected labels to be a SparseTensor"):
            td.nn.ctc_loss([[0]], x, LENGTHS)


def test_dense_labels_and_any_class_for_no_label() -> None:
    rolled = np.roll(X, 1, -1)
    with td.Graph().as_default(), td.Session() as session:
        one = td.nn.ctc_loss(td.SparseTensor(*sparse([0, 1], [1]), [2, 2]), X, LENGTHS)
        dense: Any = [[1, 2], [2, 9]]
        found = [
            td.nn.ctc_loss_v2(dense, rolled, [2, 1], LENGTHS),
            td.nn.ctc_loss_v2(np.array(dense) - 1, X, [2, 1], LENGTHS, blank_index=-1),
            td.nn.ctc_loss_v2(
                td.SparseTensor(*sparse([1, 2], [2]), [2, 2]), rolled, None, LENGTHS, blank_index=0
            ),
        ]
        wanted, *others = session.run([one, *found])
        for other in others:
            np.testing.assert_allclose(other, wanted, rtol=1e-5)
        with pytest.raises(ValueError, match="blank_index = 3 is not one of 3 classes"):
            td.nn.ctc_loss_v2(dense, X, [2, 1], LENGTHS, blank_index=3)
        with pytest.raises(ValueError, match="blank_index must be given with sparse labels"):
            td.nn.ctc_loss_v2(td.SparseTensor([[0, 0]], [0], [2, 1]), X, None, LENGTHS)


def test_a_wide_beam_finds_the_likeliest_labels() -> None:
    with td.Graph().as_default(), td.Session() as session:
        found, scores = td.nn.ctc_beam_search_decoder(X, [4, 3], 50, 4, merge_repeated=False)
        found, scores = session.run([found, scores])
    for row, steps in enumerate([4, 3]):
        every = [list(one) for n in range(4) for one in product(range(2), repeat=n)]
        ranked = sorted((loss_by_paths(X[:steps, row], labels), labels) for labels in every)
        for path, (loss, labels) in enumerate(ranked[:4]):
            of_row = found[path].indices[:, 0] == row
            assert found[path].values[of_row].tolist() == labels
            np.testing.assert_allclose(scores[row, path], -loss, rtol=1e-4)


def test_a_narrow_beam_drops_what_tensorflow_drops() -> None:
    recorded = [[-3.0314214, -3.1759667], [-3.7863903, -4.239758], [-2.7482901, -3.3777342]]
    labels = ["201020100010201230202", "201020102020102012302102"]
    # Recorded from TensorFlow 2.21: what it keeps depends on the order in which it looks.
    x = 2 * np.random.RandomState(5).normal(size=(12, 3, 5)).astype("f")
    with td.Graph().as_default(), td.Session() as session:
        found, scores = td.nn.ctc_beam_search_decoder_v2(x, [12, 12, 9], 4, 2)
        found, scores = session.run([found, scores])
    np.testing.assert_allclose(scores, recorded, rtol=1e-5)
    assert ["".join(map(str, part.values)) for part in found] == labels


def test_what_is_no_number_leads_nowhere() -> None:
    with td.Graph().as_default(), td.Session() as session:
        (labels,), score = td.nn.ctc_beam_search_decoder(X * np.nan, LENGTHS)
        labels, score = session.run([labels, score])
    assert labels.values.size == 0
    assert np.isnan(score).all()


@pytest.mark.parametrize("lengths", [[5, 5, 5], [3, 2, 4], [0, 1, 5]])
def test_repeated_labels_are_dropped(lengths: list[int]) -> None:
    labels = np.array([[1, 1, 2, 2, 1], [3, 3, 3, 0, 2], [0, 0, 5, 5, 5]])
    with td.Graph().as_default(), td.Session() as session:
        fed, given = td.placeholder(td.int64, [None, None]), td.placeholder(td.int32, [None])
        both = td.nn.collapse_repeated(fed, given)
        found, numbers = session.run(both, {fed: labels, given: lengths})
    wanted = [
        [row[i] for i in range(n) if not i or row[i] != row[i - 1]]
        for row, n in zip(labels.tolist(), lengths, strict=True)
    ]
    assert numbers.tolist() == [len(row) for row in wanted]
    most = max(map(len, wanted))
    assert found.tolist() == [row + [0] * (most - len(row)) for row in wanted]


def test_different_labels_and_their_places() -> None:
    labels = np.random.default_rng(0).integers(0, 4, (6, 7), np.int32)
    with td.Graph().as_default(), td.Session() as session:
        different, places = session.run(td.nn.ctc_unique_labels(labels))
    for row, some, at in zip(labels.tolist(), different.tolist(), places.tolist(), strict=True):
        unique = list(dict.fromkeys(row))
        assert some == unique + [0] * (7 - len(unique))
        assert [unique[i] for i in at] == row


def test_lengths_may_be_int64() -> None:
    with td.Graph().as_default(), td.Session() as session:
        logits = td.constant(np.random.default_rng(0).standard_normal((5, 2, 4)), td.float32)
        losses = [
            td.nn.ctc_loss_v2([[1, 2], [3, 1]], logits, [1, 2], td.constant([5, 4], dtype))
            for dtype in (td.int32, td.int64)
        ]
        np.testing.assert_array_equal(*session.run(losses))
