"""Calls of input and model functions by the names of their arguments, and their results."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...graph.default_graph import get_default_graph
from ...graph.scopes.collections import GraphKeys
from ...ops.data.dataset_base import DatasetBase
from ...runtime import logging as log
from ...training.sessions.session_run_hook import SessionRunHook


class Inputs(NamedTuple):
    """Result of an input function: features, labels (or None), and the hooks they need."""

    features: Any
    labels: Any
    hooks: list[SessionRunHook]


class _Initializes(SessionRunHook):
    """Initializes the iterator over a dataset in each session."""

    def __init__(self, iterator: Any) -> None:
        self._initializer = iterator.initializer

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Initializes the iterator."""
        session.run(self._initializer)


def argument_names(function: Any) -> tuple[str, ...]:
    """The names of the arguments that a function can be called with.

    Those that a `functools.partial` has given are left out; a method has no `self`.
    """
    if isinstance(function, functools.partial):
        bound = function.keywords
        inner = argument_names(function.func)[len(function.args) :]
        return tuple(name for name in inner if name not in bound)
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return tuple(p.name for p in parameters if p.kind not in kinds)


def called(function: Callable[..., Any], offered: Mapping[str, Any]) -> Any:
    """Calls a function with those of the offered arguments that it accepts."""
    names = argument_names(function)
    return function(**{name: value for name, value in offered.items() if name in names})


def inputs_of(function: Callable[..., Any], offered: Mapping[str, Any]) -> Inputs:
    """Calls an input function, and unpacks its result.

    Args:
        function: returns a Dataset, a pair of features and labels, or only features.
        offered: the arguments that it may accept: mode, params, config.

    Raises:
        ValueError: it is a list or tuple, and no pair.
    """
    result = called(function, offered)
    hooks: list[SessionRunHook] = []
    if isinstance(result, DatasetBase):
        iterator = result.make_initializable_iterator()
        hooks.append(_Initializes(iterator))
        result = iterator.get_next()
    if isinstance(result, (list, tuple)):
        if len(result) != 2:
            raise ValueError(
                f"input_fn should return (features, labels) as a len 2 tuple, got {len(result)}"
            )
        return Inputs(result[0], result[1], hooks)
    return Inputs(result, None, hooks)


def warn_of_no_end(inputs: Inputs) -> None:
    """Warns of an input that never comes to an end, such as a constant."""
    if not inputs.hooks and not get_default_graph().get_collection(GraphKeys.QUEUE_RUNNERS):
        log.warn(
            "Input graph does not use td.data.Dataset or contain a QueueRunner. That means predict "
            "yields forever. This is probably a mistake."
        )
