"""Steps of optimizers as loops for machine code: the same bits as by NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from machine_loops import NEEDS_NUMBA, accelerated, interpreted
from training_inputs import FLAGS, NUMBERS

import tensordraft as td
from tensordraft.graph.registry import lookup
from tensordraft.ops.training_updates.update_loops import update_loop
from tensordraft.ops.training_updates.update_ops import UPDATES
from tensordraft.runtime.kernel_spec import FEWEST_IN_BLOCKS, Loop
from tensordraft.session.passes import jit_kernels

SIZE = FEWEST_IN_BLOCKS + 7
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-39, 3e38, 1e-20, -1.0]
WITH_LOOP = [
    name
    for name, update in UPDATES.items()
    if update_loop(update.rule, {}) is not None and "Apply" in update.forms.split()
]
SOME_FLAGS: list[dict[str, Any]] = [{flag: value} for flag in FLAGS for value in (False, True)]


def flags_of(name: str) -> list[dict[str, Any]]:
    attrs = lookup(f"Apply{name}").signature.attrs
    return [flags for flags in SOME_FLAGS if not attrs.keys().isdisjoint(flags)] or [{}]


def numbers_of(argument: str) -> Any:
    return np.float32(NUMBERS[argument])


def start_of(at: int) -> Any:
    """Ordinary numbers, and each special one beside each other; slots are of squares mostly."""
    values = np.random.default_rng(at).normal(size=SIZE).astype(np.float32)
    values[: len(SPECIAL) ** 2] = np.roll(np.repeat(SPECIAL, len(SPECIAL)), 7 * at)
    return values if at < 2 else np.abs(values)


def left_by(name: str, flags: dict[str, Any], runs: int = 2) -> list[Any]:
    """The variable and its slots after some steps."""
    arguments = [spec.name for spec in lookup(f"Apply{name}").signature.inputs]
    kept = UPDATES[name].variables.split()
    with td.Graph().as_default(), td.Session() as session:
        variables = {item: td.Variable(start_of(at + 1)) for at, item in enumerate(kept)}
        given: list[Any] = [
            variables[item]._reference
            if item in variables
            else start_of(0)
            if item in ("grad", "delta")
            else numbers_of(item)
            for item in arguments
        ]
        op = lookup(f"Apply{name}")(*given, **flags)
        session.run(td.global_variables_initializer())
        for _ in range(runs):
            session.run(op.op)
        return list(session.run([*variables.values()]))


class Interpreter:
    """An accelerator that has every loop, as Python, and counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def ready(self, loop: Loop) -> Any:
        function = interpreted(loop)

        def counted(*arguments: Any) -> None:
            self.calls += 1
            numbers = [
                np.float32(value) if kind == "float32" else value
                for value, kind in zip(arguments, loop.parameters, strict=True)
            ]
            function(*numbers)

        return counted


@pytest.mark.parametrize("name", WITH_LOOP)
def test_loops_give_the_bits_of_the_rules(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for flags in flags_of(name):
        with monkeypatch.context() as patch:
            patch.setattr(td.config, "accelerator", False)
            expected = left_by(name, flags)
        interpreter = Interpreter()
        with monkeypatch.context() as patch:
            patch.setattr(jit_kernels, "accelerator", interpreter)
            found = left_by(name, flags)
        assert bool(interpreter.calls) == (update_loop(UPDATES[name].rule, flags) is not None)
        for value, wanted in zip(found, expected, strict=True):
            np.testing.assert_array_equal(value, wanted)
            signs = [np.signbit(item[~np.isnan(item)]) for item in (value, wanted)]
            np.testing.assert_array_equal(*signs)


def test_the_optimizers_that_most_programs_use_have_a_loop() -> None:
    assert {"GradientDescent", "Momentum", "Adam", "Adagrad", "RMSProp"} <= {*WITH_LOOP}
    assert update_loop(UPDATES["Ftrl"].rule, {}) is None


@NEEDS_NUMBA
@pytest.mark.parametrize("deterministic", [False, True])
def test_a_plan_takes_machine_code_as_soon_as_it_is_there(
    deterministic: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(td.config, "accelerator", False)
        expected = left_by("Adam", {}, 8)
    with accelerated(tmp_path) as accelerator, td.Graph().as_default():
        variable = td.Variable(start_of(1))
        slots = [td.Variable(start_of(2)), td.Variable(start_of(3))]
        numbers = [numbers_of(spec.name) for spec in lookup("ApplyAdam").signature.inputs[3:-1]]
        references = [item._reference for item in (variable, *slots)]
        step = lookup("ApplyAdam")(*references, *numbers, start_of(0)).op
        with td.Session(deterministic=deterministic) as session:
            session.run(td.global_variables_initializer())
            for _ in range(4):
                session.run(step)
            accelerator.wait()
            assert "by machine code" in session.explain(step)
            assert "not by machine code" not in session.explain(step)
            for _ in range(4):
                session.run(step)
            found = session.run([variable, *slots])
    for value, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(value, wanted)


def test_a_variable_in_two_places_is_left_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    interpreter = Interpreter()
    monkeypatch.setattr(jit_kernels, "accelerator", interpreter)
    with td.Graph().as_default(), td.Session() as session:
        variable = td.Variable(np.ones(SIZE, np.float32))
        reference = variable._reference
        gradient = np.full(SIZE, 0.5, np.float32)
        step = lookup("ApplyMomentum")(reference, reference, 0.5, gradient, 0.5)
        session.run(td.global_variables_initializer())
        session.run(step.op)
        assert interpreter.calls == 0
        np.testing.assert_array_equal(session.run(variable), np.full(SIZE, 0.5, np.float32))
