"""Base of Keras optimizers: hyperparameters in variables, and updates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ...autodiff.gradients import gradients
from ...graph.default_scopes import control_dependencies, name_scope
from ...graph.indexed_slices import IndexedSlices
from ...graph.node import Operation
from ...ops.array.cast import cast
from ...ops.debugging.group_and_tuple import group, tuple as gated
from ...ops.statistics.clip import clip_by_norm, clip_by_value
from ...ops.variables.variable import Variable
from ...training.optimizers.optimizer import Optimizer as PlainOptimizer
from ..backend.session import batch_set_value, get_session, get_value

public = {"td.keras.optimizers": "Optimizer"}


class Optimizer:
    """Base class of Keras optimizers.

    Args:
        name: the name.
        lr: the learning rate: a number, or a tensor.
        decay: how much the rate shrinks: it is divided by `1 + decay * iterations`.
        clipnorm: the greatest norm that a gradient keeps.
        clipvalue: the greatest number that a gradient keeps.
        numbers: further numbers of the step.

    Example:
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
        self._maker: PlainOptimizer | None = None
        self._params: list[Any] = []
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
        """Number of steps so far: an int64 variable."""
        if "iterations" not in self._variables:
            with control_dependencies(None), name_scope(f"{self._name}/"):
                counter = Variable(0, trainable=False, name="iter", dtype="int64")
                self._variables["iterations"] = counter
        return self._variables["iterations"]

    slots: ClassVar[tuple[str, ...]] = ()
    """Slots of each variable, in the order of Keras's files."""

    counted: ClassVar[tuple[str, ...]] = ()
    """Numbers that steps change, of which configs say nothing."""

    is_stored = True
    """True if files of models store it."""

    def get_config(self) -> dict[str, Any]:
        """The arguments that make one like it; the learning rate as it is now."""
        settings = {key: self._now(key) for key in self._initial if key not in self.counted}
        clips = zip(("clipnorm", "clipvalue"), self._clip, strict=True)
        return {"name": self._name, **settings, **{k: v for k, v in clips if v is not None}}

    def _now(self, name: str) -> Any:
        """A number of the step, as it is now."""
        value, variable = self._initial[name], self._variables.get(name)
        if variable is None:
            return value
        now = float(get_value(variable))
        return value if np.float32(now) == np.float32(value) else now

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Creates an optimizer from a config."""
        return cls(**config)

    @property
    def weights(self) -> list[Any]:
        """Step count and slots: the variables of Keras's files."""
        return [variable for _, variable in self._stored()]

    def _stored(self) -> list[tuple[str, Any]]:
        """The variables, by the names that files have for them."""
        if self._maker is None:
            return []
        pairs = [
            ("iter", self.iterations),
            *((name, self._variable(name)) for name in self.counted),
        ]
        for slot in self.slots:
            for param in self._params:
                kept = self._maker.get_slot(param, slot)
                if kept is not None:
                    pairs.append((f"{param.op.name}/{slot}", kept))
        return [(f"training/{self._name}/{name}:0", variable) for name, variable in pairs]

    def told_weights(self) -> tuple[list[str], list[Any]]:
        """The names of the variables in files, and their values."""
        stored = self._stored()
        values = get_session().run([variable for _, variable in stored]) if stored else []
        return [name for name, _ in stored], values

    def get_weights(self) -> list[Any]:
        """The values of `weights`."""
        return self.told_weights()[1]

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Puts values into `weights`.

        Args:
            weights: the values, in the order of `get_weights`.

        Raises:
            ValueError: they are more or fewer, or of other shapes.
        """
        own = self.weights
        if len(own) != len(weights):
            raise ValueError(
                f"optimizer {self._name} has {len(own)} variables, got {len(weights)} values; "
                "it has none before its first step"
            )
        pairs = list(zip(own, weights, strict=True))
        batch_set_value([*pairs, *self._following(int(weights[0]) if pairs else 0)])

    def _following(self, done: int) -> list[tuple[Any, Any]]:
        """Further variables whose values follow from the number of steps."""
        return []

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
        slopes = gradients(loss, list(params))
        for gradient, variable in zip(slopes, params, strict=True):
            if gradient is None:
                raise ValueError(
                    f"variable {variable.op.name} has no gradient: the loss does not depend on it, "
                    "or only through ops that have none"
                )
        # In TensorFlow, Keras's variables are resources: a loss is computed before the updates.
        slopes = gated(slopes, control_inputs=[loss]) if slopes else []
        pairs = [
            (self._clipped(gradient), variable)
            for gradient, variable in zip(slopes, params, strict=True)
        ]
        with name_scope(f"{self._name}/"):
            self._maker, self._params = self._step_maker(self._rate()), list(params)
            step = self._maker.apply_gradients(pairs)
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

    is_stored = False

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
        return self._optimizer
