"""Running without NumPy's floating-point warnings, at less than the cost of `np.errstate`."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..runtime.interrupts import held_back
from ..runtime.thread_pools import blas_threads
from ..shape_inference.traits import Product
from .plan import Plan


class _QuietContexts(threading.local):
    """A context for each thread in which NumPy ignores floating-point errors.

    `entered` states whether the thread is inside it.
    """

    def __init__(self) -> None:
        self.run = contextvars.copy_context().run
        self.run(np.seterr, all="ignore")
        self.entered = False


contexts = _QuietContexts()


def quietly(function: Callable[..., Any], *arguments: Any) -> Any:
    """`function(*arguments)`, with infinities and NaNs made silently, as TensorFlow makes them.

    It runs in a context of the thread, with the context variables of when that was made.
    """
    if contexts.entered:
        return function(*arguments)
    try:
        contexts.entered = True
        return contexts.run(function, *arguments)
    finally:
        contexts.entered = False


def quietly_in_context(function: Callable[..., Any], *arguments: Any) -> Any:
    """As `quietly`, with the context variables that the caller sees now; it takes longer."""
    return contextvars.copy_context().run(_silenced, function, arguments)


def _silenced(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    with np.errstate(all="ignore"):
        return function(*arguments)


def _on_threads(
    way: Callable[..., Any],
    threads: int,
    single: bool,
    function: Callable[..., Any],
    *arguments: Any,
) -> Any:
    blas_threads.enter_run(threads, single)
    try:
        return way(function, *arguments)
    finally:
        blas_threads.leave_run(threads, single)


def quiet_way(plan: Plan, threads: int) -> Callable[..., Any]:
    """Execution of a plan.

    Functions of the program see the context variables of the run, and what changes state is not
    interrupted in the middle.

    Args:
        plan: the plan.
        threads: how many may share the work of a step; 0 for as many as BLAS would take.
    """
    calls_python = any(step.op.definition.traits.calls_python for step in plan.steps)
    way = quietly_in_context if calls_python else quietly
    # Windows that slide over images share their work among threads of our own. What a program does
    # with NumPy in the middle of a run takes no cores from these either.
    single = calls_python or any(
        traits.products and not isinstance(traits, Product)
        for traits in (step.op.definition.traits for step in plan.steps)
    )
    if threads or single:
        way = partial(_on_threads, way, threads, single)
    if all(step.op.definition.pure for step in plan.steps):
        return way

    def to_the_end(function: Callable[..., Any], *arguments: Any) -> Any:
        return held_back(way, function, *arguments)

    return to_the_end
