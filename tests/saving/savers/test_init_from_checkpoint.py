"""Initial values out of checkpoints: by name, by scope, by words that vocabularies share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td

OLD = {"a": [1.0, 2.0], "layer/w": [[3.0], [4.0]], "layer/b": [5.0]}


@pytest.fixture
def path(tmp_path: Path) -> str:
    with td.Graph().as_default(), td.Session() as session:
        for name, value in OLD.items():
            td.get_variable(name, initializer=value)
        session.run(td.global_variables_initializer())
        saved: str = td.train.Saver().save(session, tmp_path / "model")
        return saved


@pytest.fixture
def session(path: str) -> Iterator[td.Session]:
    del path  # made before, in a graph of its own
    with td.Graph().as_default(), td.Session() as session:
        yield session


def initialized(session: td.Session) -> dict[str, Any]:
    session.run(td.global_variables_initializer())
    return {v.op.name: session.run(v).tolist() for v in td.global_variables()}


@pytest.mark.parametrize("use_resource", [False, True])
def test_names_scopes_and_variables_are_mapped(
    session: td.Session, path: str, use_resource: bool
) -> None:
    with td.variable_scope("new", use_resource=use_resource):
        td.get_variable("w", [2, 1])
        td.get_variable("b", [1])
    first = td.get_variable("first", [2], use_resource=use_resource)
    td.get_variable("second", [2])
    td.train.init_from_checkpoint(path, {"layer/": "new/", "a": first})
    td.train.init_from_checkpoint(Path(path).parent, [("a", "second")])
    assert initialized(session) == {
        "new/w": [[3], [4]],
        "new/b": [5],
        "first": [1, 2],
        "second": [1, 2],
    }


def test_all_names_are_mapped_by_a_slash(session: td.Session, path: str) -> None:
    td.get_variable("a", [2])
    td.get_variable("layer/b", [1])
    td.train.init_from_checkpoint(path, {"/": "/"})
    assert initialized(session) == {"a": [1, 2], "layer/b": [5]}


@pytest.mark.parametrize(
    ("assignment_map", "error", "message"),
    [
        ({"z": "v"}, ValueError, "Tensor z .for v. is not found in"),
        ({"a": "v"}, ValueError, r"Shape of variable v .* doesn't match with shape of tensor a"),
        ({"a": "z"}, ValueError, "Variable z is not found"),
        ({"a": "scope/"}, ValueError, "should map to scope only"),
        ({"layer/": "scope/"}, ValueError, "no variables in the scope 'scope/'"),
        ({"a": 5}, TypeError, "no variable, list or name"),
    ],
)
def test_what_does_not_fit_is_refused(
    session: td.Session, path: str, assignment_map: Any, error: Any, message: str
) -> None:
    td.get_variable("v", [3])
    with pytest.raises(error, match=message):
        td.train.init_from_checkpoint(path, assignment_map)
    with pytest.raises(td.errors.NotFoundError):
        td.train.init_from_checkpoint(path + "-none", {"a": "v"})


def test_training_starts_warm(session: td.Session, path: str) -> None:
    td.get_variable("a", initializer=[0.0, 0.0])
    td.get_variable("other", initializer=[[0.0], [0.0]])
    td.get_variable("layer/b", initializer=[0.0], trainable=False)
    td.train.warm_start(path, "a")
    td.train.warm_start(path, ["other"], var_name_to_prev_var_name={"other": "layer/w"})
    assert initialized(session) == {"a": [1, 2], "other": [[3], [4]], "layer/b": [0]}


@pytest.mark.parametrize("backup", [None, td.constant_initializer(9.0)])
def test_rows_go_with_their_words(
    session: td.Session, path: str, backup: Any, tmp_path: Path
) -> None:
    (tmp_path / "old").write_text("one\ntwo\n")
    (tmp_path / "new").write_text("two\nthree\none\n")
    td.get_variable("layer/w", [4, 1])
    vocabularies = td.train.VocabInfo(
        str(tmp_path / "new"), -1, 1, str(tmp_path / "old"), backup_initializer=backup
    )
    td.train.warm_start(path, None, {"layer/w": vocabularies})
    other = 0 if backup is None else 9
    assert initialized(session) == {"layer/w": [[4], [other], [3], [other]]}
    wrong = vocabularies._replace(num_oov_buckets=0)
    with pytest.raises(ValueError, match="has 4 rows along axis 0, where the vocabulary has 3"):
        td.train.warm_start(path, None, {"layer/w": wrong})


def test_what_is_restored_is_not_copied(
    session: td.Session, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[np.ndarray] = []
    read = td.train.CheckpointReader.array

    def noted(*arguments: Any) -> Any:
        made.append(read(*arguments))
        return made[-1]

    monkeypatch.setattr(td.train.CheckpointReader, "array", noted)
    variable: Any = td.get_variable("a", [2], use_resource=True)
    td.train.Saver().restore(session, path)
    held: Any = session.run(variable.handle)
    assert np.shares_memory(held.read(), made[0])
    with pytest.raises(ValueError, match="read-only"):
        made[0][0] = 7.0
