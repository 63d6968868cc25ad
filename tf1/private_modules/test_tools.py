"""Names of `tensorflow.python.framework.test_util` that are not public anywhere."""

from __future__ import annotations

from typing import Any

from ..testing.test_case import TestCase

TensorFlowTestCase = TestCase


def run_in_graph_and_eager_modes(function: Any = None, **_: Any) -> Any:
    """A decorator that leaves a test as it is: it runs in graph mode."""
    return (lambda given: given) if function is None else function


run_deprecated_v1 = run_v1_only = run_in_graph_and_eager_modes
