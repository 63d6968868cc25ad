"""Moving averages of variables: variables that follow others slowly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph.convert import convert_to_tensor
from ...graph.default_graph import get_default_graph
from ...graph.default_scopes import name_scope
from ...graph.scopes.collections import GraphKeys
from ..array.casting import cast
from ..array.constants import constant
from ..effects.ordering import group
from ..math.arithmetic import minimum
from .variable import Variable
from .variables import global_variables, trainable_variables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...graph.node import Operation


class ExponentialMovingAverage:
    """Averages of variables, in which what is longer ago counts less.

    Each update makes an average `decay * average + (1 - decay) * value`.

    Args:
        decay: how much of the average is kept at an update, between 0 and 1.
        num_updates: how many updates there were; where given, the decay is at most
            `(1 + num_updates) / (10 + num_updates)`, so that averages begin faster.
        name: what the names of the averages end with.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable(0.0, name="v")
        ...     averages = td.train.ExponentialMovingAverage(0.9)
        ...     update = averages.apply([v])
        ...     session.run(td.global_variables_initializer())
        ...     _ = session.run(v.assign(1.0)), session.run(update)
        ...     averages.average(v).op.name, session.run(averages.average(v)).round(4)
        ('v/ExponentialMovingAverage', np.float32(0.1))
    """

    def __init__(
        self, decay: Any, num_updates: Any = None, name: str = "ExponentialMovingAverage"
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._name = name
        self._averages: dict[Variable, Variable] = {}

    @property
    def name(self) -> str:
        """What the names of the averages end with."""
        return self._name

    def apply(self, var_list: Iterable[Variable] | None = None) -> Operation:
        """An op that updates the averages of some variables, which are made at the first call.

        Args:
            var_list: the variables, of floating dtypes; by default all trainable ones.

        Raises:
            TypeError: one is no variable of a floating dtype.
            ValueError: one has an average already.
        """
        variables = list(trainable_variables() if var_list is None else var_list)
        for variable in variables:
            self._follow(variable)
        with name_scope(self._name):
            decay = convert_to_tensor(self._decay, name="decay")
            if self._num_updates is not None:
                number = cast(self._num_updates, "float32", name="num_updates")
                decay = minimum(decay, (1.0 + number) / (10.0 + number))
            kept = constant(1.0, decay.dtype) - decay
            updates = []
            for variable in variables:
                average = self._averages[variable]
                change = (average - variable.value()) * cast(kept, variable.dtype.base_dtype)
                updates.append(average.assign_sub(change))
            return group(*updates)

    def _follow(self, variable: Any) -> None:
        if not isinstance(variable, Variable) or not variable.dtype.base_dtype.is_floating:
            raise TypeError(f"averages are of variables of floating dtypes, got {variable!r}")
        if variable in self._averages:
            raise ValueError(f"{variable.name!r} has an average already")
        graph = get_default_graph()
        with graph.name_scope(None), graph.colocate_with(variable):
            self._averages[variable] = Variable(
                variable.initial_value, trainable=False, name=self.average_name(variable)
            )
        graph.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, variable)

    def average(self, var: Variable) -> Variable | None:
        """The variable that holds the average of `var`; None before `apply`."""
        return self._averages.get(var)

    def average_name(self, var: Variable) -> str:
        """The name that the average of `var` has, or would have."""
        return f"{var.op.name}/{self._name}"

    def variables_to_restore(
        self, moving_avg_variables: Iterable[Variable] | None = None
    ) -> dict[str, Variable]:
        """What a Saver restores to give variables the values of their averages.

        Args:
            moving_avg_variables: the variables that have averages; by default those that `apply`
                was told, and all trainable ones.

        Returns:
            Variables by the names in the checkpoint: of its average, where it has one.
        """
        if moving_avg_variables is None:
            moving_avg_variables = [*trainable_variables(), *moving_average_variables()]
        averaged = dict.fromkeys(moving_avg_variables)
        found = {self.average_name(variable): variable for variable in averaged}
        for variable in global_variables():
            if variable not in averaged:
                found.setdefault(variable.op.name, variable)
        return found


def moving_average_variables(scope: str | None = None) -> list[Variable]:
    """The variables of the default graph that have moving averages, as a new list.

    Args:
        scope: only those whose name begins with this regular expression.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     v, w = td.Variable(1.0), td.Variable(2.0)
        ...     _ = td.train.ExponentialMovingAverage(0.9).apply([w])
        ...     td.moving_average_variables()
        [<td.Variable 'Variable_1:0' shape=() dtype=float32_ref>]
    """
    return get_default_graph().get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)
