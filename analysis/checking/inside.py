"""Facts of a check about the tensors in loops, branches and functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ...graph.bodies import is_looked_into
from ...graph.node import Operation
from ...graph.op_def import OpDef
from ...runtime import errors
from ...shape_inference.context import ShapeContext
from ...shape_inference.inference import Inference
from .report import BodyFacts, TensorFact


def facts_inside(
    ops: Iterable[Operation],
    inference: Inference,
    facts: Callable[[Iterable[Operation], Inference], list[TensorFact]],
    around: frozenset[str] = frozenset(),
) -> Iterator[BodyFacts]:
    """Facts about the tensors of each function that ops run, and of nested functions.

    Args:
        ops: the ops.
        inference: what is known of their inputs.
        facts: the facts that an inference has about the results of ops.
        around: the names of the functions that the ops are in.
    """
    for op in ops:
        called = op.definition.calls if isinstance(op.definition, OpDef) else None
        if called is None or not is_looked_into(inference.depth):
            continue
        try:
            calls = called(ShapeContext(op, inference))
            known = [call.body.inferred(call.given, inference.depth + 1) for call in calls]
        except (TypeError, ValueError, errors.UnimplementedError):
            continue  # the op itself reports the error
        for (body, _), inner in zip(calls, known, strict=True):
            if body.name in around:
                continue  # it calls itself
            inside = body.graph.get_operations()
            yield BodyFacts(body.name, op, facts(inside, inner))
            yield from facts_inside(inside, inner, facts, around | {body.name})
