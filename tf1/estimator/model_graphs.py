"""Graphs of a model: one is built for each call of an estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ...graph.default_scopes import device, set_random_seed
from ...graph.graph import Graph
from ...ops.variable_scopes.global_step import create_global_step
from .estimator_spec import EstimatorSpec
from .input_functions import Inputs, inputs_of
from .run_config import RunConfig


class ModelGraphs(NamedTuple):
    """Builder of the graphs of a model: its function, and the arguments it may ask for.

    The parameters are those of a mode.
    """

    model_fn: Callable[[Any, Any, str, Any], Any]
    config: RunConfig
    params_of: Callable[[str], Any]

    @contextmanager
    def fresh(self) -> Iterator[Any]:
        """Opens a new default graph, and yields it with its global step."""
        with Graph().as_default(), device(self.config.device_fn):
            set_random_seed(self.config.tf_random_seed)
            yield create_global_step()

    def inputs(self, input_fn: Callable[..., Any], mode: str) -> Inputs:
        """Calls an input function in the default graph."""
        offered = {"mode": mode, "params": self.params_of(mode), "config": self.config}
        return inputs_of(input_fn, offered)

    def model(self, features: Any, labels: Any, mode: str) -> EstimatorSpec:
        """The model, in the default graph.

        Raises:
            ValueError: its function does not return an EstimatorSpec.
        """
        spec = self.model_fn(features, labels, mode, self.config)
        if not isinstance(spec, EstimatorSpec):
            raise ValueError(f"model_fn should return an EstimatorSpec, got {spec!r}")
        return spec
