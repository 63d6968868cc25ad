"""The ops that do a step of an optimizer: what TensorFlow computed, and what they refuse."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from harness import covers
from places import GOLDEN
from training_inputs import FLAGS, Variant, inputs, variants

import tensordraft as td
from tensordraft.graph.registry import lookup
from tensordraft.ops.training_updates import update_ops
from tensordraft.ops.training_updates.update_ops import UPDATE_OPS

RECORDED = json.loads(GOLDEN.joinpath("training", "updates.json").read_text())
SCALARS = ("lr", "alpha")

covers(*UPDATE_OPS)


def arguments_of(name: str) -> list[str]:
    return [spec.name for spec in lookup(name).signature.inputs]


def cases() -> list[Any]:
    found = []
    for name, definition in UPDATE_OPS.items():
        arguments = arguments_of(name)
        flag = next((flag for flag in FLAGS if flag in definition.signature.attrs), None)
        found += [
            pytest.param(name, flag, variant, id=f"{name}: {variant}")
            for variant in variants(arguments, flag is not None)
        ]
    return found


def call(name: str, values: dict[str, Any], others: dict[str, Any], **attrs: Any) -> Any:
    """Adds an op of the type on new variables; the op or tensor, and the variables."""
    by_handle = name.startswith("Resource")
    variables = {key: td.Variable(value, use_resource=by_handle) for key, value in values.items()}
    given = {
        **{key: v._reference for key, v in variables.items()},
        **others,
    }
    op = lookup(name)(*[given[key] for key in arguments_of(name)], **attrs)
    return op, list(variables.values())


def after(name: str, values: dict[str, Any], others: dict[str, Any], **attrs: Any) -> list[Any]:
    """The variables after the op."""
    with td.Graph().as_default(), td.Session() as session:
        op, variables = call(name, values, others, **attrs)
        session.run(td.global_variables_initializer())
        session.run(op)
        result: list[Any] = session.run(variables)
        return result


@pytest.mark.parametrize(("name", "flag", "variant"), cases())
def test_as_tensorflow_computed(name: str, flag: str | None, variant: Variant) -> None:
    values, others = inputs(arguments_of(name), variant)
    result = after(name, values, others, **({} if flag is None else {flag: variant.flag}))
    kind = name if name.startswith("Resource") else f"Resource{name}"
    for value, expected in zip(result, RECORDED[f"{kind}: {variant}"], strict=True):
        assert value.dtype == np.float32
        np.testing.assert_allclose(value.ravel(), expected, rtol=5e-6, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in UPDATE_OPS if "Sparse" not in name])
@pytest.mark.parametrize("dtype", ["float64", "half", "bfloat16"])
def test_every_float_and_scalars_and_nothing(name: str, dtype: str) -> None:
    values, others = inputs(arguments_of(name), next(variants(arguments_of(name), False)))
    numpy_dtype = td.as_dtype(dtype).as_numpy_dtype
    for sizes in ((), (0, 2)):
        some = {key: np.full(sizes, 0.5, numpy_dtype) for key in values}
        rest = {
            key: value if value.dtype.kind == "i" else np.asarray(value).astype(numpy_dtype)
            for key, value in others.items()
        }
        rest = {k: np.full(sizes, 0.5, numpy_dtype) if v.ndim else v for k, v in rest.items()}
        for value in after(name, some, rest):
            assert (value.dtype, value.shape) == (np.dtype(numpy_dtype), sizes)
            assert np.isfinite(value.astype(np.float64)).all()


@pytest.mark.parametrize("name", [name for name in UPDATE_OPS if "Sparse" not in name])
def test_blocks_and_threads_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values, others = inputs(arguments_of(name), next(variants(arguments_of(name), False)))
    expected = after(name, values, others)
    for fewest in (1, 1 << 30):
        monkeypatch.setattr(update_ops, "_WHOLE_BYTES", 0)
        monkeypatch.setattr(update_ops, "_BLOCK_BYTES", 20)
        monkeypatch.setattr(update_ops, "_FEWEST_SHARED", fewest)
        for value, wanted in zip(after(name, values, others), expected, strict=True):
            np.testing.assert_array_equal(value, wanted)


@pytest.mark.parametrize("name", list(UPDATE_OPS))
def test_a_gradient_that_nobody_needs_is_used_up_and_one_that_is_fetched_stays(name: str) -> None:
    arguments = arguments_of(name)
    values, others = inputs(arguments, next(variants(arguments, False)))
    gradient = "delta" if "delta" in arguments else "grad"
    expected = after(name, values, others)
    with td.Graph().as_default(), td.Session() as session:
        zeros = td.placeholder(others[gradient].dtype, others[gradient].shape)
        slope = td.add(zeros, others[gradient])
        op, variables = call(name, values, {**others, gradient: slope})
        feeds = {zeros: np.zeros_like(others[gradient])}
        update = op if name.startswith("Resource") else op.op
        for fetches in ([update], [update, slope]):
            session.run(td.global_variables_initializer())
            found = session.run(fetches, feeds)
            for value, wanted in zip(session.run(variables), expected, strict=True):
                np.testing.assert_array_equal(value, wanted)
            for value in found[1:]:
                np.testing.assert_array_equal(value, others[gradient])


@pytest.mark.parametrize("name", list(UPDATE_OPS))
def test_what_a_run_refuses_changes_nothing(name: str) -> None:
    arguments = arguments_of(name)
    values, others = inputs(arguments, next(variants(arguments, False)))
    gradient = "delta" if "delta" in arguments else "grad"
    number = next(key for key in SCALARS if key in arguments)
    bad: dict[str, tuple[Any, str]] = {
        gradient: (np.ones((4, 2), np.float32), "grad must have|must have one shape"),
        number: (np.ones(1, np.float32), f"{number} must be a scalar"),
    }
    if "indices" in arguments:
        bad["indices"] = (np.array([0, 4], np.int32), r"indices\[1\] = 4 is not in \[0, 4\)")
    with td.Graph().as_default(), td.Session() as session:
        fed = {key: td.placeholder(value.dtype, None) for key, value in others.items()}
        op, variables = call(name, values, fed)
        session.run(td.global_variables_initializer())
        for key, (value, clause) in bad.items():
            feeds = {fed[at]: value if at == key else others[at] for at in fed}
            with pytest.raises(td.errors.InvalidArgumentError, match=clause):
                session.run(op, feeds)
            for variable, first in zip(session.run(variables), values.values(), strict=True):
                np.testing.assert_array_equal(variable, first)


@pytest.mark.parametrize("name", list(UPDATE_OPS))
def test_what_a_call_refuses(name: str) -> None:
    arguments = arguments_of(name)
    values, others = inputs(arguments, next(variants(arguments, False)))
    gradient = "delta" if "delta" in arguments else "grad"
    with td.Graph().as_default():
        with pytest.raises(ValueError, match="must"):
            call(name, values, {**others, gradient: np.ones((4, 2), np.float32)})
        number = next(key for key in SCALARS if key in arguments)
        with pytest.raises(ValueError, match="rank"):
            call(name, values, {**others, number: np.ones(1, np.float32)})


def test_a_variable_without_a_value() -> None:
    with td.Graph().as_default(), td.Session() as session:
        op, variables = call("ApplyGradientDescent", {"var": [1.0]}, {"alpha": 1.0, "delta": [1.0]})
        with pytest.raises(td.errors.FailedPreconditionError, match="uninitialized value"):
            session.run(op)
        session.run(variables[0].initializer)
        assert session.run(op).tolist() == [0.0]


def test_shapes_follow_from_any_argument() -> None:
    with td.Graph().as_default():
        v = lookup("VariableV2")(shape=td.TensorShape(None), dtype="float32")
        assert lookup("ApplyGradientDescent")(v, 0.1, [[1.0, 2.0]]).shape.as_list() == [1, 2]


def test_what_was_handed_on_as_a_reference_sees_the_update() -> None:
    with td.Graph().as_default(), td.Session() as session:
        v = td.Variable([1.0, 2.0])
        before = td.identity(v._reference)
        with td.control_dependencies([before]):
            step = td.raw_ops.ApplyGradientDescent(var=v._reference, alpha=1.0, delta=[1.0, 1.0])
        with td.control_dependencies([step]):
            both = [before + 0.0, td.identity(v._reference)]
        session.run(v.initializer)
        assert [item.tolist() for item in session.run(both)] == [[0.0, 1.0], [0.0, 1.0]]
