"""The programs under examples/programs run, and their numbers are right."""

from __future__ import annotations

import itertools
import json
import math
import runpy
from typing import Any

import numpy as np
import pytest
from places import EXAMPLES, GOLDEN

import tensordraft as td

PROGRAMS = EXAMPLES / "programs"
MOST_LINES = 80

pytestmark = pytest.mark.skipif(
    not PROGRAMS.is_dir(), reason="the examples are not part of this installation"
)


def program(name: str) -> dict[str, Any]:
    """The names that a program defines."""
    return runpy.run_path(str(PROGRAMS / f"{name}.py"))


def result_of(name: str) -> Any:
    """Result of the program's main function, in a graph of its own."""
    main = program(name)["main"]
    with td.Graph().as_default():
        return main()


def test_each_is_a_page() -> None:
    lengths = {path.name: len(path.read_text().splitlines()) for path in PROGRAMS.glob("*.py")}
    assert len(lengths) == 30
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}


def test_the_dataset_pipeline_learns_as_under_tensorflow() -> None:
    losses, error, plane = result_of("dataset_pipeline")
    np.testing.assert_allclose(losses, [1.4019, 0.2859, 0.0564, 0.0067, 0.0011], atol=6e-5)
    np.testing.assert_allclose(error, 0.000245, atol=1e-6)
    np.testing.assert_allclose(plane, [1.986, -0.990, 0.503], atol=6e-4)


def test_kmeans_finds_the_centres() -> None:
    names = program("kmeans")
    centres, points = names["CENTRES"], names["sample_points"]()
    found = result_of("kmeans")
    np.testing.assert_allclose(found, sorted(centres.tolist()), atol=0.3)
    nearest = np.argmin(((points[:, None] - found) ** 2).sum(2), axis=1)
    means = np.array([points[nearest == i].mean(0) for i in range(3)])
    np.testing.assert_allclose(found, means, atol=1e-5)


def test_the_glider_comes_back() -> None:
    names = program("life")
    board, counts = result_of("life")
    alive = {(int(row), int(column)) for row, column in np.argwhere(board)}
    assert alive == set(names["GLIDER"])
    assert counts == [5, 5, 5, 5]


def test_pagerank_is_the_eigenvector() -> None:
    names = program("pagerank")
    ranks = result_of("pagerank")
    number = len(names["PAGES"])
    matrix = np.zeros((number, number))
    for source, target in names["LINKS"]:
        matrix[target, source] = 1
    matrix /= matrix.sum(0)
    full = names["DAMPING"] * matrix + (1 - names["DAMPING"]) / number
    values, vectors = np.linalg.eig(full)
    leading = vectors[:, np.argmax(values.real)].real
    expected = leading / leading.sum()
    np.testing.assert_allclose([ranks[page] for page in names["PAGES"]], expected, atol=1e-5)


def test_ngrams_are_counted() -> None:
    names = program("ngrams")
    words = names["TEXT"].split()
    for n, counted in result_of("ngrams").items():
        grams = [" ".join(words[i : i + n]) for i in range(len(words) - n + 1)]
        expected = sorted(((gram, grams.count(gram)) for gram in set(grams)), key=_by_count)
        assert counted == expected[:3]


def _by_count(pair: tuple[str, int]) -> tuple[int, str]:
    return -pair[1], pair[0]


def test_augmented_images_are_what_they_should_be() -> None:
    means, brightest = result_of("augment")
    assert means.shape == (10,)
    np.testing.assert_allclose(means[:8], np.tile(means[:2], 4), rtol=1e-6)
    assert brightest[1::2].tolist() == [3, 2, 1, 1, 3]


def test_the_forecaster_keeps_up_with_the_wave() -> None:
    errors = result_of("forecaster")
    samples = np.array([0.1 * t + math.sin(t / 3) for t in range(40)])
    expected = []
    for t in range(8, 40):
        line = np.polyfit(np.arange(8), samples[t - 8 : t], 1)
        expected.append(samples[t] - np.polyval(line, 8))
    np.testing.assert_allclose(errors, expected, atol=1e-4)


def test_the_factors_fit_and_the_checkpoint_restores() -> None:
    half_way, restored, final = result_of("factorisation")
    assert restored == half_way
    assert final < 1e-4 < half_way < 0.02


def test_the_turnstile_turns() -> None:
    names = program("state_machine")
    log, counts, takings = result_of("state_machine")
    state, expected, left, total = 0, [], [0, 0, 0], 0.0
    for event in ["push", "coin", "push", "coin", "coin", "kick", "coin", "kick"]:
        number = names["EVENTS"].index(event)
        left[state] += 1
        total += names["FARE"][state][number]
        state = names["TRANSITIONS"][state][number]
        expected.append(names["STATES"][state])
    assert (log, counts, takings) == (expected, left, total)


def test_the_frozen_model_says_the_same() -> None:
    labels, before, after = result_of("batch_inference")
    np.testing.assert_array_equal(before, after)
    np.testing.assert_allclose(before.sum(), 1.0, rtol=1e-6)
    assert labels.tolist() == [1, 2, 0, 2, 2, 1, 1, 0, 0, 2]  # as TensorFlow 2.21 says


def test_films_are_recommended() -> None:
    names = program("recommender")
    matrix = np.zeros((5, len(names["FILMS"])))
    for place, stars in names["RATINGS"].items():
        matrix[place] = stars
    unit = matrix / np.linalg.norm(matrix, axis=0)
    scores = np.where(matrix > 0, -1, matrix @ unit.T @ unit)
    assert result_of("recommender") == [names["FILMS"][i] for i in scores.argmax(1)]


def test_the_regression_goes_on_where_it_stopped() -> None:
    first, second = result_of("logistic_regression")
    assert (len(first), len(second)) == (20, 20)
    losses = [0.105565, 0.0908603]  # as TensorFlow 2.21 says
    np.testing.assert_allclose([second[0], second[-1]], losses, rtol=1e-4)


# Of each program what its main function gives after the curve, and up to where small errors that
# grow leave the curve what TensorFlow 2.21 drew.
CURVES: dict[str, tuple[list[Any], int]] = {
    "autoencoder": ([], 100),
    "bandit": ([[0.0, 0.0, 1.0, 0.0]], 60),
    "generative_adversary": ([3.0, 0.55], 250),
    "killed_session": ([], 40),
    "lenet": ([1.0], 30),
    "linear_regression": ([2.984636, -2.016084], 60),
    "logistic_regression": ([], 20),
    "matrix_factorisation": ([0.0191977, 0.0407258], 500),
    "multilayer_perceptron": ([1.0], 200),
    "queue_pipeline": ([[2.994, -1.012]], 6),
    "variational_autoencoder": ([0.0683649], 200),
    "word2vec": ([], 400),
}


@pytest.mark.parametrize("name", CURVES)
def test_curves_are_those_of_tensorflow(name: str) -> None:
    ends, length = CURVES[name]
    recorded = json.loads(GOLDEN.joinpath("training", "programs.json").read_text())[name]
    curve, *rest = result_of(name)
    found = np.array(curve).reshape(len(curve), -1)[:, 0]
    assert len(found) == len(recorded)
    np.testing.assert_allclose(found[:length], recorded[:length], rtol=2e-3)
    for end, value in zip(ends, rest, strict=False):
        np.testing.assert_allclose(value, end, atol=0.07)


def test_the_killed_session_does_its_last_steps_again() -> None:
    curve, lost = result_of("killed_session")
    assert list(lost) == [*range(1, 26)]
    assert len(curve) == 40
    again = [lost[step] for step in range(21, 26)]  # after the checkpoint, until the end
    np.testing.assert_allclose(curve[20:25], again, rtol=1e-6)


def test_all_patterns_come_back() -> None:
    assert result_of("autoencoder")[1].tolist() == [*range(16)]


def test_words_of_a_kind_are_near_each_other() -> None:
    names = program("word2vec")
    _, nearest = result_of("word2vec")
    for kind in (names["ANIMALS"], names["THINGS"]):
        assert {nearest[word] for word in kind} <= {*kind}


# Programs that loop in the graph -----------------------------------------------------------------


def test_newton_finds_the_roots() -> None:
    roots, steps = result_of("newton")
    np.testing.assert_allclose(roots, [1, 1, 2, 2, 3], atol=1e-12)
    assert steps.tolist() == [9, 5, 3, 3, 10]


def test_points_of_the_mandelbrot_set_stay() -> None:
    rounds = result_of("mandelbrot")
    x, y = np.meshgrid(np.linspace(-2.2, 0.8, 64), np.linspace(-1.2, 1.2, 24))
    z = np.zeros(x.shape, complex)
    expected = np.zeros(x.shape, int)
    for _ in range(50):
        near = np.abs(z) <= 2
        expected += near
        z = np.where(near, z * z + x + 1j * y, z)
    assert (rounds != expected).sum() <= 2  # near the edge, the last bit may decide


def test_words_are_aligned() -> None:
    assert result_of("alignment") == [
        (0, "G-ATTACA", "GCA-TGCU"),
        (1, "KITTEN-", "SITTING"),
        (0, "LOOP", "POOL"),
    ]


def test_buckets_are_mapped() -> None:
    found = result_of("bucketed_map")
    assert {bucket: len(rows) for bucket, rows in found.items()} == {0: 3, 1: 3, 2: 2}
    sentences = program("bucketed_map")["SENTENCES"]
    vocabulary = sorted({word for sentence in sentences for word in sentence.split()})
    total = np.zeros(3)
    for word in ["less", "is", "more"]:
        angle = vocabulary.index(word)
        total = 0.5 * total + [np.sin(angle), np.cos(angle), angle / 10]
    np.testing.assert_allclose(found[0][0], total, rtol=1e-5)


def test_the_rate_of_learning_is_learnt() -> None:
    rates, weights = result_of("descent")  # under TensorFlow, too
    np.testing.assert_allclose(rates, [0.002, 0.0104, 0.0119, 0.0131, 0.0140, 0.0147], atol=5e-5)
    np.testing.assert_allclose(weights, [1.1902, -0.3644], atol=5e-5)


def test_the_beam_finds_likely_walks() -> None:
    names = program("beam_search")
    steps, shows = names["log_chances"]()
    found = result_of("beam_search")
    seen = [0, 0, 1, 2, 2]
    scores = {
        walk: shows[walk[0], 0]
        - np.log(4)
        + sum(steps[a, b] + shows[b, n] for a, b, n in zip(walk, walk[1:], seen[1:], strict=False))
        for walk in itertools.product(range(4), repeat=5)
    }
    best = max(scores, key=lambda walk: scores[walk])
    score, states = found[3]
    assert states == [names["STATES"][state] for state in best]
    assert score == pytest.approx(scores[best])
    assert [value for value, _ in found[3:6]] == sorted((v for v, _ in found[3:6]), reverse=True)


def test_the_model_of_letters_learns_and_writes() -> None:
    losses, text = result_of("character_model")  # under TensorFlow, too
    np.testing.assert_allclose(losses, [1.25, 0.36, 0.15], atol=0.02)
    assert len(text) == 61
    words = set(program("character_model")["TEXT"].split())
    assert set(text.split()[1:-1]) <= words
