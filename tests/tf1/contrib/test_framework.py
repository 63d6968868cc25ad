"""`td.contrib.framework`, `HParams`, and losses and metrics that take predictions first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td

slim = td.contrib.slim
framework = td.contrib.framework


@slim.add_arg_scope
def described(x: int, colour: str = "red", size: int = 1) -> tuple[int, str, int]:
    return x, colour, size


@slim.add_arg_scope
def another(colour: str = "blue") -> str:
    return colour


def test_scopes_of_arguments_add_up() -> None:
    with slim.arg_scope([described, another], colour="green"):
        with slim.arg_scope([described], size=3) as inner:
            assert described(1) == (1, "green", 3)
            assert described(1, size=4, colour="x") == (1, "x", 4)
        assert described(1) == (1, "green", 1)
        with slim.arg_scope([described], colour="black"):
            assert (described(1)[1], another()) == ("black", "green")
    assert (described(1), another()) == ((1, "red", 1), "blue")
    with slim.arg_scope([another], colour="white"), slim.arg_scope(inner):
        assert (described(2), another()) == ((2, "green", 3), "green")
    with slim.arg_scope({}):
        assert described(1) == (1, "red", 1)


def test_a_scope_ends_with_an_error() -> None:
    with pytest.raises(TypeError, match="multiple values"), slim.arg_scope([described], x=3):
        described(1)
    assert framework.current_arg_scope() == {}


def test_what_takes_no_scope() -> None:
    with pytest.raises(ValueError, match="dense takes no arguments from arg_scope"):
        slim.arg_scope([td.layers.dense], units=3).__enter__()
    with pytest.raises(TypeError, match="takes a list of functions or a scope"):
        slim.arg_scope(described, colour="x").__enter__()
    with pytest.raises(ValueError, match=r"takes no arguments, got .'colour'"):
        slim.arg_scope({}, colour="x").__enter__()


def test_variables_are_found() -> None:
    with td.Graph().as_default():
        for name in ("a/x", "a/y", "ab/x", "x"):
            slim.model_variable(name, [1])
        td.Variable(1.0, name="plain")

        def names(found: Any) -> list[str]:
            return [variable.op.name for variable in found]

        assert names(slim.get_variables("a")) == ["a/x", "a/y", "ab/x"]
        assert names(slim.get_variables("a/", "x")) == ["a/x"]
        assert names(slim.get_variables_by_name("x")) == ["a/x", "ab/x", "x"]
        assert names(slim.get_model_variables()) == ["a/x", "a/y", "ab/x", "x"]
        assert names(slim.get_variables_to_restore(["a"], ["a/y"])) == ["a/x", "ab/x"]
        with td.variable_scope("a") as scope:
            assert names(slim.get_variables(scope)) == ["a/x", "a/y", "ab/x"]
        with pytest.raises(ValueError, match="there is no variable 'z'"):
            slim.get_unique_variable("z")
        with pytest.raises(TypeError, match="include must be a list"):
            slim.get_variables_to_restore("a")


def test_values_from_checkpoints(tmp_path: Path) -> None:
    with td.Graph().as_default(), td.Session() as session:
        td.Variable([1.0, 2.0], name="a"), td.Variable(3.0, name="b")
        session.run(td.global_variables_initializer())
        path = td.train.Saver().save(session, str(tmp_path / "model"))
    with td.Graph().as_default(), td.Session() as session:
        a = td.Variable([0.0, 0.0], name="a")
        b, c = td.Variable(0.0, name="other"), td.Variable(5.0, name="c")
        session.run(c.initializer)
        with pytest.raises(ValueError, match="has no 'c'"):
            slim.assign_from_checkpoint(path, [a, c])
        session.run(*slim.assign_from_checkpoint(path, {"a": a, "b": b, "c": c}, True))
        assert [session.run(v).tolist() for v in (a, b, c)] == [[1.0, 2.0], 3.0, 5.0]
        session.run(a.assign([7.0, 7.0]))
        restore = slim.assign_from_checkpoint_fn(path, [a, c], ignore_missing_vars=True)
        assert restore is not None
        restore(session)
        assert session.run(a).tolist() == [1.0, 2.0]
        assert slim.assign_from_checkpoint_fn(path, [c], ignore_missing_vars=True) is None
        wrong = td.Variable([0.0], name="wrong")
        with pytest.raises(ValueError, match=r"'a' has shape .2. in the checkpoint"):
            slim.assign_from_checkpoint(path, {"a": wrong})


def test_hyperparameters() -> None:
    h: Any = td.contrib.training.HParams(
        rate=0.1, steps=10, on=True, name="x", sizes=[1, 2], f=None
    )
    h.parse("rate=1e-3,steps=5,on=false,name= a b ,sizes=[4,5,6]")
    assert (h.rate, h.steps, h.on, h.name, h.sizes) == (0.001, 5, False, "a b", [4, 5, 6])
    h.parse("sizes[1]=9,sizes[2]=8")
    assert h.sizes == [4, 9, 8]
    assert h.get("steps") == 5
    assert h.get("none", 3) == 3
    assert h.to_json(sort_keys=True).startswith('{"f": null, "name": "a b"')
    h.parse_json('{"steps": 7, "rate": 2}')
    assert (h.steps, h.rate, type(h.rate)) == (7, 2.0, float)
    h.del_hparam("steps")
    assert "steps" not in h
    assert sorted(h.values()) == ["f", "name", "on", "rate", "sizes"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("steps=x", "Could not parse hparam 'steps' of type 'int' with value 'x'"),
        ("other=1", "Unknown hyperparameter type for other"),
        ("steps", "Malformed hyperparameter value: steps"),
        ("steps=1,steps=2", "Multiple assignments to variable 'steps'"),
        ("sizes[0]=1,sizes[0]=2", "Multiple assignments to variable 'sizes.0.'"),
        ("steps=[1,2]", "Must not pass a list for single-valued parameter: steps"),
        ("sizes=3", "Must pass a list for multi-valued parameter: sizes"),
        ("on=maybe", "Could not parse hparam 'on'"),
        ("sizes[7]=3", "beyond its 2 elements"),
    ],
)
def test_hyperparameters_refuse(text: str, message: str) -> None:
    h = td.contrib.training.HParams(steps=1, sizes=[1, 2], on=True)
    with pytest.raises(ValueError, match=message):
        h.parse(text)


def test_types_of_hyperparameters_stay() -> None:
    h = td.contrib.training.HParams(steps=1, on=True, name="x")
    for name, value in (("steps", 1.5), ("on", 1), ("name", 3), ("steps", "3")):
        with pytest.raises(ValueError, match=f"Could not cast hparam {name!r}"):
            h.set_hparam(name, value)
    with pytest.raises(ValueError, match="name is reserved: steps"):
        h.add_hparam("steps", 2)
    with pytest.raises(ValueError, match="cannot be empty"):
        h.add_hparam("none", [])
    with pytest.raises(KeyError):
        h.set_hparam("other", 2)


def test_losses_are_listed() -> None:
    logits, labels = np.array([[1.0, -2.0], [0.5, 3.0]], "f"), np.array([[1.0, 0], [0, 1]], "f")
    with td.Graph().as_default(), td.Session() as session:
        ours = [
            slim.losses.softmax_cross_entropy(logits, labels, weights=2.0),
            slim.losses.sparse_softmax_cross_entropy(logits, labels.argmax(1)[:, None]),
            slim.losses.sigmoid_cross_entropy(logits, labels, label_smoothing=0.1),
            slim.losses.cosine_distance(logits, labels, dim=1),
        ]
        assert td.losses.get_losses() == ours
        theirs = [
            td.losses.softmax_cross_entropy(labels, logits, weights=2.0),
            td.losses.sparse_softmax_cross_entropy(labels.argmax(1), logits),
            td.losses.sigmoid_cross_entropy(labels, logits, label_smoothing=0.1),
            td.losses.cosine_distance(labels, logits, axis=1),
        ]
        assert session.run(ours) == session.run(theirs)
        slim.losses.hinge_loss(logits, labels)
        assert len(td.losses.get_losses()) == 8


def test_the_name_scope_in_force_is_told() -> None:
    with td.Graph().as_default():
        assert td.contrib.framework.get_name_scope() == ""
        with td.variable_scope("a"), td.name_scope("b"):
            assert td.contrib.framework.get_name_scope() == "a/b"
