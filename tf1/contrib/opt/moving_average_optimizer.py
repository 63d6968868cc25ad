"""An optimizer that keeps moving averages of the variables."""

from __future__ import annotations

from typing import Any

from ....graph.default_graph import get_default_graph
from ....graph.default_scopes import control_dependencies
from ....graph.node import Operation
from ....graph.scopes.collections import GraphKeys
from ....ops.debugging.group_and_tuple import group
from ....ops.variable_scopes.moving_averages import ExponentialMovingAverage
from ....saving.savers.saver import Saver
from ....training.optimizers.optimizer import Optimizer

public = {"td.contrib.opt": "MovingAverageOptimizer"}


class MovingAverageOptimizer(Optimizer):
    """Wraps an optimizer, and updates moving averages of the variables after each step.

    Args:
        opt: the optimizer.
        average_decay: how much of an average is kept at a step.
        num_updates: the number of steps done: with it, averages keep less at first.
        sequential_update: accepted for TensorFlow's sake: averages always come after the step.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable(1.0, name="v")
        ...     plain = td.train.GradientDescentOptimizer(1.0)
        ...     optimizer = td.contrib.opt.MovingAverageOptimizer(plain, 0.5)
        ...     step = optimizer.minimize(v)
        ...     session.run(td.global_variables_initializer())
        ...     session.run(step)
        ...     session.run([v, "v/ExponentialMovingAverage:0"])
        [np.float32(0.0), np.float32(0.5)]
    """

    def __init__(
        self,
        opt: Optimizer,
        average_decay: float = 0.9999,
        num_updates: Any = None,
        sequential_update: bool = True,
    ) -> None:
        super().__init__(False, "MovingAverageOptimizer")
        self._optimizer = opt
        self._averages = ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._averaged: list[Any] = []

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """The gradients, by the other optimizer."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Operation:
        """The step of the other optimizer, and then that of the averages."""
        pairs = list(grads_and_vars)
        step = self._optimizer.apply_gradients(pairs, global_step, name)
        self._averaged = [variable for gradient, variable in pairs if gradient is not None]
        with control_dependencies([step]):
            return group(self._averages.apply(self._averaged))

    def swapping_saver(
        self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any
    ) -> Any:
        """A Saver that saves averages under the names of their variables, and the other way round.

        Args:
            var_list: the variables to save, or a dict of them by name; by default all.
            name: accepted for TensorFlow's sake.
            kwargs: arguments of `td.train.Saver`.

        Raises:
            RuntimeError: no step has been built.
        """
        if not self._averaged:
            raise RuntimeError("Must call apply_gradients or minimize before swapping_saver")
        if var_list is None:
            var_list = get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES)
        if not isinstance(var_list, dict):
            var_list = {variable.op.name: variable for variable in var_list}
        beside: dict[str, Any] = {v.op.name: self._averages.average(v) for v in self._averaged}
        names = {v.op.name: v for v in self._averaged}
        mapping = dict(var_list)
        for variable, average in beside.items():
            if variable in var_list:
                mapping[variable] = average
                if average.op.name in var_list:
                    mapping[average.op.name] = names[variable]
        return Saver(mapping, **kwargs)
