"""Optimizer steps as loops for machine code, in one pass over memory.

Each does in each element what the rule of the same name does, in the same order and so with the
same bits; all of it is of float32. Numbers that the rule computes first are computed here as well,
by NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

from ...runtime.kernel_spec import Loop
from . import optimizer_steps as rules


class _Step(NamedTuple):
    """Update of the elements of a variable and of its slots.

    Attributes:
        arrays: names of the variable and of the rest, in their order.
        lines: Python that changes them; they and the gradient, `grad`, are numbers there.
        numbers: what stands in `lines` besides, and how it is found.
        unless: flags with which the step is another one.
    """

    arrays: str
    lines: str
    numbers: Mapping[str, Callable[[SimpleNamespace], Any]]
    unless: Mapping[str, bool] = {}


def _given(name: str) -> Callable[[SimpleNamespace], Any]:
    return lambda n: getattr(n, name)


def _rest_of(name: str) -> Callable[[SimpleNamespace], Any]:
    return lambda n: 1 - getattr(n, name)


_MOMENTUM = {"lr": _given("lr"), "momentum": _given("momentum")}
_ROOT = {**_MOMENTUM, "rest": _rest_of("rho"), "epsilon": _given("epsilon")}

_STEPS: dict[Callable[..., None], _Step] = {
    rules.gradient_descent: _Step("var", "var = var - grad * alpha", {"alpha": _given("alpha")}),
    rules.momentum: _Step(
        "var accum",
        "accum = accum * momentum + grad\nvar = var - accum * lr",
        _MOMENTUM,
        {"use_nesterov": True},
    ),
    rules.keras_momentum: _Step(
        "var accum",
        "accum = accum * momentum - grad * lr\nvar = var + accum",
        _MOMENTUM,
        {"use_nesterov": True},
    ),
    rules.adagrad: _Step(
        "var accum",
        "accum = accum + grad * grad\nvar = var - grad * lr / (sqrt(accum) + epsilon)",
        {"lr": _given("lr"), "epsilon": lambda n: getattr(n, "epsilon", 0)},
        {"update_slots": False},
    ),
    rules.rms_prop: _Step(
        "var ms mom",
        "ms = ms + (grad * grad - ms) * rest\n"
        "mom = mom * momentum + grad * lr / sqrt(ms + epsilon)\n"
        "var = var - mom",
        _ROOT,
    ),
    rules.centered_rms_prop: _Step(
        "var mg ms mom",
        "ms = ms + (grad * grad - ms) * rest\n"
        "mg = mg + (grad - mg) * rest\n"
        "mom = mom * momentum + grad * lr / sqrt(ms - mg * mg + epsilon)\n"
        "var = var - mom",
        _ROOT,
    ),
    rules.adadelta: _Step(
        "var accum update",
        "accum = accum * rho + grad * grad * rest\n"
        "step = sqrt(update + epsilon) / sqrt(accum + epsilon) * grad\n"
        "var = var - step * lr\n"
        "update = update * rho + step * step * rest",
        {key: _given(key) for key in ("lr", "rho", "epsilon")} | {"rest": _rest_of("rho")},
    ),
    rules.adam: _Step(
        "var m v",
        "v = v + (grad * grad - v) * rest2\n"
        "m = m + (grad - m) * rest1\n"
        "var = var - m * rate / (sqrt(v) + epsilon)",
        {
            "rest1": _rest_of("beta1"),
            "rest2": _rest_of("beta2"),
            "rate": rules.adam_rate,
            "epsilon": _given("epsilon"),
        },
        {"use_nesterov": True},
    ),
}


class UpdateLoop:
    """A step of an optimizer as a loop.

    Args:
        step: the step.
    """

    def __init__(self, step: _Step) -> None:
        self._step = step
        arrays = ["grad", *step.arrays.split()]
        names = ["start", "stop", *step.numbers, *[f"{name}s" for name in arrays]]
        types = ["int64"] * 2 + ["float32"] * len(step.numbers) + ["float32*"] * len(arrays)
        lines = [
            f"def update({', '.join(names)}):",
            " for k in range(start, stop):",
            *[f"  {name} = {name}s[k]" for name in arrays],
            *[f"  {line}" for line in step.lines.split("\n")],
            *[f"  {name}s[k] = {name}" for name in arrays[1:]],
            "",
        ]
        self.loop = Loop("update", tuple(types), "\n".join(lines))

    def with_numbers(
        self, function: Callable[..., None] | None, n: SimpleNamespace
    ) -> Callable[..., None] | None:
        """The loop for some numbers: from a range, the gradient and the arrays to change."""
        if function is None:
            return None
        numbers = [float(find(n)) for find in self._step.numbers.values()]
        return lambda start, stop, *arrays: function(start, stop, *numbers, *arrays)


@cache
def _loop_of(rule: Callable[..., None]) -> UpdateLoop | None:
    step = _STEPS.get(rule)
    return None if step is None else UpdateLoop(step)


def update_loop(rule: Callable[..., None], flags: Mapping[str, bool]) -> UpdateLoop | None:
    """The loop that does what a rule does, under some flags; None where there is none."""
    loop = _loop_of(rule)
    if loop is None or any(flags.get(key) == value for key, value in _STEPS[rule].unless.items()):
        return None
    return loop
