"""Batches of serialized sequence examples: what TensorFlow 2.21 gives and refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness import covers

import tensordraft as td
from tensordraft.graph.registry import lookup

covers("ParseSequenceExample", "ParseSequenceExampleV2")

Rows, Any_length = td.FixedLenSequenceFeature, td.VarLenFeature


def serialized(number: int | None, a: Any = None, b: Any = (), r: Any = None) -> bytes:
    message = td.train.SequenceExample()
    if number is not None:
        message.context.feature["q"].int64_list.value.append(number)
        message.context.feature["z"].bytes_list.value.extend([b"z"] * number)
    lists = message.feature_lists.feature_list
    for key, steps in (("a", a), ("r", r)):
        for step in steps or ():
            lists[key].feature.add().int64_list.value.extend(step)
    for step in b:
        lists["b"].feature.add().float_list.value.extend(step)
    return message.SerializeToString()


FIRST = serialized(1, [[1], [2]], [[1.0], []], [[1, 2], [3]])
SECOND = serialized(2, [[3]], [[1.0, 2.0], [3.0], []])
CONTEXT = {"q": td.FixedLenFeature([], td.int64), "z": Any_length(td.string)}
STEPS = {"a": Rows([], td.int64), "b": Any_length(td.float32)}


def test_a_batch(session: td.Session) -> None:
    parsed = td.io.parse_sequence_example([FIRST, SECOND], CONTEXT, STEPS, ["one", "two"])
    assert parsed[1]["a"].shape.as_list() == [2, None]
    context, steps, lengths = session.run(parsed)
    assert context["q"].tolist() == [1, 2]
    assert context["z"].indices.tolist() == [[0, 0], [1, 0], [1, 1]]
    assert steps["a"].tolist() == [[1, 2], [3, 0]]
    assert lengths["a"].tolist() == [2, 1]
    assert steps["b"].indices.tolist() == [[0, 0, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]]
    assert steps["b"].values.tolist() == [1, 1, 2, 3]
    assert steps["b"].dense_shape.tolist() == [2, 3, 2]


def test_one_alone(session: td.Session) -> None:
    context, steps, lengths = session.run(td.io.parse_sequence_example(FIRST, CONTEXT, STEPS))
    assert context["q"] == 1
    assert steps["a"].tolist() == [1, 2]
    assert lengths["a"] == 2
    assert steps["b"].indices.tolist() == [[0, 0]]
    assert steps["b"].dense_shape.tolist() == [2, 1]


def test_none_at_all(session: td.Session) -> None:
    features = {"a": Rows([2], td.int64, allow_missing=True), "s": Rows([], td.string, True)}
    empty = td.constant(np.zeros(0, object), td.string)
    _, steps, lengths = session.run(td.io.parse_sequence_example(empty, None, features))
    assert steps["a"].shape == (0, 0, 2)
    assert lengths["s"].shape == (0,)


@pytest.mark.parametrize(
    ("examples", "features", "clause"),
    [
        ([FIRST, b""], {"a": Rows([], td.int64)}, "'a' is required but could not be found in .*1"),
        ([FIRST], {"a": Rows([2], td.int64)}, "step 0 of the feature list 'a' has 1 values"),
        ([FIRST], {"a": Any_length(td.float32)}, "Data types don't match"),
        ([FIRST, b"\xff"], {"a": Any_length(td.int64)}, "of 1 bytes"),
    ],
)
def test_examples_that_do_not_fit(
    session: td.Session, examples: Any, features: Any, clause: str
) -> None:
    parsed = td.io.parse_sequence_example(examples, sequence_features=features)
    with pytest.raises(td.errors.InvalidArgumentError, match=clause):
        session.run(parsed)


def keys(*names: str) -> np.ndarray:
    return np.array([name.encode() for name in names], object)


def ragged(examples: Any, may_lack: Any = (), names: Any = (), **attrs: Any) -> Any:
    kinds = {
        "context_ragged_value_types": [td.int64],
        "context_ragged_split_types": [td.int32],
        "feature_list_ragged_value_types": [td.int64],
        "feature_list_ragged_split_types": [td.int64],
    }
    none = keys()
    given = [none, none, keys("q"), none, none, keys("r")]
    lacking = np.array(may_lack, bool)
    made = lookup("ParseSequenceExampleV2")
    return made(examples, keys(*names), *given, lacking, [], **(kinds | attrs))


def test_ragged_features(session: td.Session) -> None:
    results = session.run([part for part in ragged([FIRST, SECOND]) if part])
    flat = [part[0].tolist() for part in results]
    assert flat == [[1, 2], [0, 1, 2], [1, 2, 3], [0, 2, 2], [0, 2, 3]]
    assert results[1][0].dtype == np.int32
    single = [part[0] for part in ragged(FIRST) if part]
    assert [part.shape.as_list() for part in single] == [[None], [0], [None], [0], [None]]
    assert [part.tolist() for part in session.run(single)] == [[1], [], [1, 2, 3], [], [0, 2, 3]]


@pytest.mark.parametrize(
    ("make", "clause"),
    [
        (lambda: ragged([FIRST], may_lack=[True]), "must cover 0 features, got 1"),
        (
            lambda: ragged([FIRST], names=["x", "y"]),
            r"debug_name must be empty or have shape \[1\]",
        ),
        (lambda: ragged([FIRST], feature_list_ragged_value_types=[]), "there are 0 feature_list"),
        (lambda: ragged([FIRST], context_dense_shapes=[[]]), "has 1 shapes for 0 dtypes"),
    ],
)
def test_arguments_that_do_not_fit(session: td.Session, make: Any, clause: str) -> None:
    with pytest.raises(ValueError, match=clause):
        session.run([part for part in make() if part])


def test_the_older_op(session: td.Session) -> None:
    results = lookup("ParseSequenceExample")(
        [FIRST, serialized(None)],
        keys(),
        [np.array([7])],
        context_dense_keys=["q"],
        Tcontext_dense=[td.int64],
        context_dense_shapes=[[]],
        feature_list_dense_keys=["a"],
        feature_list_dense_types=[td.int64],
        feature_list_dense_shapes=[[1]],
        feature_list_dense_missing_assumed_empty=["a"],
        feature_list_sparse_keys=[],
        context_sparse_keys=[],
        Ncontext_sparse=0,
        Ncontext_dense=1,
        Nfeature_list_sparse=0,
        Nfeature_list_dense=1,
    )
    parts = [part[0] for part in results if part]
    assert [part.tolist() for part in session.run(parts)] == [
        [1, 7],
        [[[1], [2]], [[0], [0]]],
        [2, 0],
    ]
