"""`td.random.Generator`: what TensorFlow 2.21's draws of the same state, and what holds it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
from harness import covers
from shape_language import infers, refuses

import tensordraft as td
from tensordraft.graph.registry import lookup

covers("StatefulStandardNormal")

SEED = 2**70 + 5
DRAWS: list[tuple[str, dict[str, Any], list[Any]]] = [
    (
        "normal",
        {"shape": [3], "mean": 1, "stddev": 2},
        [2.2776198387145996, -1.4719858169555664, -1.8777358531951904],
    ),
    (
        "truncated_normal",
        {"shape": [2], "dtype": "float64"},
        [1.425815234204204, -1.9052088520012402],
    ),
    ("uniform", {"shape": [3]}, [0.8952170610427856, 0.4430959224700928, 0.9554816484451294]),
    ("uniform", {"shape": [3], "minval": 5, "maxval": 9, "dtype": "int64"}, [8, 7, 6]),
    (
        "uniform",
        {"shape": [2], "minval": None, "dtype": "int32"},
        [-526113075, -1095623385],
    ),
    ("uniform_full_int", {"shape": [2], "dtype": "uint32"}, [926972294, 789174122]),
    (
        "binomial",
        {"shape": [2, 2], "counts": [10.0, 20.0], "probs": [0.5, 0.25]},
        [7, 6, 6, 3],
    ),
    ("make_seeds", {"count": 2}, [7033150386092808034, -1356568668483566615, 0, 0]),
]


def test_draws_follow_from_the_seed() -> None:
    with td.Graph().as_default(), td.Session() as session:
        generator = td.random.experimental.Generator.from_seed(SEED, alg="philox")
        session.run(generator.state.initializer)
        assert session.run(generator.state).tolist() == [5, 64, 0]
        for name, arguments, expected in DRAWS:
            drawn = session.run(getattr(generator, name)(**arguments))
            np.testing.assert_allclose(drawn.ravel(), expected, rtol=1e-6, err_msg=name)
            assert drawn.dtype == td.as_dtype(arguments.get("dtype", drawn.dtype)).numpy_dtype
        assert session.run(generator.state).tolist() == [132357, 64, 0]
        session.run(generator.skip(3))
        assert session.run(generator.state).tolist() == [133125, 64, 0]


def test_states_are_made_and_set() -> None:
    with td.Graph().as_default(), td.Session() as session:
        keyed = td.random.Generator.from_key_counter(2**63 + 1, [1, 2**64 - 1], "philox")
        own = td.random.Generator.from_state([4, 5, 6], td.random.Algorithm.AUTO_SELECT)
        copy = td.random.Generator(copy_from=own)
        held = td.Variable([7, 8, 9], dtype=td.int64, use_resource=True)
        around = td.random.Generator(state=held, alg=1)
        parts = copy.split(2)
        session.run([keyed.state.initializer, own.state.initializer, held.initializer])
        session.run(copy.state.initializer)
        for part in parts:
            session.run(part.state.initializer)
        assert session.run(keyed.state).tolist() == [1, -1, 1 - 2**63]
        assert session.run(keyed.key) == 1 - 2**63
        drawn = session.run(keyed.uniform([2], -1.0, 1.0))
        np.testing.assert_allclose(drawn, [-0.30445122718811035, -0.9763035774230957], rtol=1e-6)
        assert (own.algorithm, copy.algorithm, around.state) == (3, 3, held)
        states = [session.run(part.state).tolist() for part in parts]
        assert [state[:2] for state in states] == [[0, 0], [0, 0]]
        assert states[0] != states[1]
        for assign, expected in (
            (own.reset([1, 2, 3]), [1, 2, 3]),
            (own.reset_from_seed(-1), [-1, -1, -1]),
            (own.reset_from_seed([1, 2, 3, 4]), [1, 2, 3]),
            (own.reset_from_key_counter(3, [4, 5]), [4, 5, 3]),
        ):
            session.run(assign)
            assert session.run(own.state).tolist() == expected


def test_the_generator_of_a_graph() -> None:
    with td.Graph().as_default(), td.Session() as session:
        first = td.random.get_global_generator()
        assert td.random.get_global_generator() is first
        assert first.state in td.global_variables()
        session.run(first.state.initializer)
        before = session.run(first.state).tolist()
        session.run(first.state.initializer)
        assert session.run(first.state).tolist() != before
        td.random.set_global_generator(td.random.Generator.from_seed(3))
        assert td.random.get_global_generator() is not first
    with td.Graph().as_default():
        assert td.random.get_global_generator() is not first


@pytest.mark.parametrize(
    ("make", "kind", "clause"),
    [
        (td.random.Generator, ValueError, "either copy_from, or both state and alg"),
        (lambda: td.random.Generator(state=[1, 2, 3]), ValueError, "both state and alg"),
        (lambda: td.random.Generator.from_seed(1, "threefry"), ValueError, "got 'threefry'"),
        (lambda: td.random.Generator.from_state([1, 2], 1), ValueError, r"must have shape \[3\]"),
        (lambda: td.random.Generator.from_state([1, 2, 2**64], 1), ValueError, "64 bits"),
        (
            lambda: td.random.Generator.from_state(td.Variable([1, 2], use_resource=True), 1),
            ValueError,
            r"state must have shape \[3\], got \(2,\)",
        ),
        (
            lambda: td.random.create_rng_state(td.placeholder(td.int64, [None]), 1),
            ValueError,
            "must be known",
        ),
        (
            lambda: td.random.Generator.from_seed(1).uniform([2], 3, dtype="int32"),
            ValueError,
            "must both be None or both be given for int32, got 3 and None",
        ),
        (lambda: td.random.set_global_generator(cast(Any, "g")), TypeError, "got 'g'"),
    ],
)
def test_mistakes(make: Callable[[], Any], kind: type[Exception], clause: str) -> None:
    with td.Graph().as_default(), pytest.raises(kind, match=clause):
        make()


def test_states_with_the_number_of_their_algorithm() -> None:
    """TensorFlow 2.21 has no kernel for it: draws and state are those of the op that followed."""
    with td.Graph().as_default(), td.Session() as session:
        old: Any = td.Variable([1, 5, -1, 11], dtype=td.int64, use_resource=True)
        new: Any = td.Variable([5, -1, 11], dtype=td.int64, use_resource=True)
        session.run(td.global_variables_initializer())
        shape = np.array([4], np.int64)
        draw = lookup("StatefulStandardNormal")(old.handle, shape)
        expected = session.run(lookup("StatefulStandardNormalV2")(new.handle, 1, shape))
        np.testing.assert_array_equal(session.run(draw), expected)
        assert session.run(old).tolist() == [1, *session.run(new).tolist()]
        none = lookup("StatefulStandardNormal")(old.handle, np.array([0], np.int64))
        assert session.run(none).shape == (0,)
        session.run(old.assign([2, 5, -1, 11]))
        with pytest.raises(td.errors.InvalidArgumentError, match="first element must be 1"):
            session.run(draw)


def test_shapes_end_with_those_of_the_parameters() -> None:
    infers("StatelessRandomGammaV2", ";[2];[n]", "[4,3]", values={"shape": [4, 3]})
    infers("StatelessRandomBinomial", ";[2];[3,1];[2]", "[3,2]", values={"shape": [3, 2]})
    refuses(
        "StatelessRandomPoisson",
        ";[2];[3]",
        r"must end with \(3,\)",
        values={"shape": [4, 2]},
        dtype=td.int32,
    )
    with td.Graph().as_default(), td.Session() as session:
        shape = td.placeholder(td.int32)
        counts = [td.random.stateless_gamma(shape, [1, 2], [1.0, 2.0], beta=[2.0, 1.0])]
        counts.append(td.random.stateless_poisson(shape, [1, 2], [1.0, 2.0]))
        counts.append(td.random.stateless_binomial(shape, [1, 2], [3.0, 2.0], 0.5))
        for made in counts:
            assert session.run(made, {shape: [5, 2]}).shape == (5, 2)
            with pytest.raises(td.errors.InvalidArgumentError, match=r"must end with \[2\]"):
                session.run(made, {shape: [5, 3]})


def test_parameters_that_mean_nothing_are_no_numbers() -> None:
    nan, infinity = float("nan"), float("inf")
    with td.Graph().as_default(), td.Session() as session:
        counts = np.array([nan, infinity, 3.0], "f")
        made = td.random.stateless_binomial([3], [1, 2], counts, [0.5, 0.5, nan], td.float32)
        assert np.isnan(session.run(made)).all()


def test_gamma_numbers_have_gradients() -> None:
    """The numbers are those of TensorFlow 2.21."""
    with td.Graph().as_default(), td.Session() as session:
        alpha = td.constant([[0.5, 2.0, 3.0]])
        y = td.random.stateless_gamma([2, 1, 3], [1, 2], alpha)
        (slope,) = td.gradients(td.reduce_sum(y * y), alpha)
        expected = [[1.941348910331726, 14.335748672485352, 12.324955940246582]]
        np.testing.assert_allclose(session.run(slope), expected, rtol=1e-5)
