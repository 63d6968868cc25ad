"""Gradients of `ops/debugging`: ops that inspect a tensor and pass it on."""

from __future__ import annotations

from typing import Any

from ...graph.node import Operation, Tensor
from ..common.rule_tables import gradient_of, not_differentiable, raw

# A Python function is opaque; Graph.gradient_override_map gives it a gradient.
not_differentiable("PyFunc", "PyFuncStateless")


@gradient_of("CheckNumerics", "CheckNumericsV2")
def _check_numerics(op: Operation, gradient: Tensor) -> Tensor:
    message = op.get_attr("message").decode(errors="replace")
    text = f"Not a number (NaN) or infinity (Inf) values detected in gradient. {message}"
    return raw(op.type)(gradient, message=text)


@gradient_of("Print")
def _print(op: Operation, gradient: Tensor) -> list[Any]:
    return [gradient, *[None for _ in op.inputs[1:]]]
