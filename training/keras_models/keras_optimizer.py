"""What optimizers of Keras have in common: numbers that live in variables, and updates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...differentiation.gradients import gradients
from ...graph.default_scopes import control_dependencies, name_scope
from ...graph.indexed_slices import IndexedSlices
from ...ops.array.casting import cast
from ...ops.effects.ordering import group
from ...ops.math.select import clip_by_value
from ...ops.statistics.clipping import clip_by_norm
from ...ops.variables.variable import Variable
from ..optimizers.optimizer import Optimizer as PlainOptimizer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...graph.node import Operation

public = {"td.keras.optimizers": "Optimizer"}


class Optimizer:
    """What optimizers of Keras have in common.

    Args:
        name: the name.
        lr: the learning rate: a number, or a tensor.
        decay: how much the rate shrinks: it is divided by `1 + decay * iterations`.
        clipnorm: the greatest norm that a gradient keeps.
        clipvalue: the greatest number that a gradient keeps.
        numbers: further numbers of the step.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     optimizer = td.keras.optimizers.SGD(lr=0.5)
        ...     v = td.keras.backend.variable(3.0)
        ...     step = td.keras.backend.function([], [], optimizer.get_updates(v * v, [v]))
        ...     made = step([])
        ...     td.keras.backend.get_value(v), td.keras.backend.get_value(optimizer.iterations)
        (np.float32(0.0), np.int64(1))
    """

    def __init__(
        self,
        name: str,
        lr: Any,
        decay: float = 0.0,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        **numbers: Any,
    ) -> None:
        self._name = name
        self._initial = {"learning_rate": lr, "decay": float(decay), **numbers}
        self._clip = clipnorm, clipvalue
        self._variables: dict[str, Any] = {}

    def _variable(self, name: str) -> Any:
        """A number of the step as a variable, so that it can be set between steps."""
        if name not in self._variables:
            with control_dependencies(None), name_scope(f"{self._name}/"):
                initial = self._initial[name]
                self._variables[name] = Variable(initial, trainable=False, name=name)
        return self._variables[name]

    @property
    def lr(self) -> Any:
        """The learning rate, a variable: `td.keras.backend.set_value` changes it."""
        return self._variable("learning_rate")

    learning_rate = lr

    @property
    def iterations(self) -> Any:
        """How many steps have been done: a variable of int64."""
        if "iterations" not in self._variables:
            with control_dependencies(None), name_scope(f"{self._name}/"):
                made = Variable(0, trainable=False, name="iter", dtype="int64")
                self._variables["iterations"] = made
        return self._variables["iterations"]

    def get_config(self) -> dict[str, Any]:
        """The numbers that it was made with."""
        return {"name": self._name, **self._initial}

    def _rate(self) -> Any:
        """The learning rate of the step."""
        if not self._initial["decay"]:
            return self.lr.value()
        done = cast(self.iterations.value(), "float32")
        return self.lr / (1.0 + self._variable("decay") * done)

    def _step_maker(self, rate: Any) -> PlainOptimizer:
        """The optimizer that makes a step; to be overridden."""
        raise NotImplementedError(f"{type(self).__name__} does not say what to do with {rate}")

    def _number(self, name: str) -> Any:
        return self._variable(name).value()

    def get_updates(self, loss: Any, params: Sequence[Any]) -> list[Operation]:
        """The ops of a step.

        Args:
            loss: a scalar tensor.
            params: the variables.

        Raises:
            ValueError: the loss does not depend on a variable.
        """
        found = gradients(loss, list(params))
        pairs = []
        for gradient, variable in zip(found, params, strict=True):
            if gradient is None:
                raise ValueError(
                    f"variable {variable.op.name} has no gradient: the loss does not depend on it, "
                    "or only through ops that have none"
                )
            pairs.append((self._clipped(gradient), variable))
        with name_scope(f"{self._name}/"):
            step = self._step_maker(self._rate()).apply_gradients(pairs)
            with control_dependencies([step]):
                return [group(self.iterations.assign_add(1).op)]

    def _clipped(self, gradient: Any) -> Any:
        norm, value = self._clip
        if norm is not None:
            gradient = _changed(gradient, lambda x: clip_by_norm(x, norm))
        if value is not None:
            gradient = _changed(gradient, lambda x: clip_by_value(x, -value, value))
        return gradient


def _changed(gradient: Any, change: Callable[[Any], Any]) -> Any:
    """A gradient after a change of its numbers; of some rows, of these."""
    if not isinstance(gradient, IndexedSlices):
        return change(gradient)
    return IndexedSlices(change(gradient.values), gradient.indices, gradient.dense_shape)


class FromPlain(Optimizer):
    """An optimizer of `td.train` as one of Keras."""

    def __init__(self, optimizer: PlainOptimizer) -> None:
        super().__init__(optimizer.get_name(), 0.0)
        self._optimizer = optimizer

    @property
    def lr(self) -> Any:
        """Such an optimizer has a rate of its own."""
        raise AttributeError("an optimizer of td.train has no variable for its learning rate")

    def _rate(self) -> Any:
        return None

    def _step_maker(self, rate: Any) -> PlainOptimizer:
        del rate
        return self._optimizer
