"""The optimizers of Keras."""

from __future__ import annotations

from typing import Any, ClassVar

from ...graph.default_scopes import control_dependencies
from ...ops.array.cast import cast
from ...ops.math.arithmetic import pow as power
from ...training.layers.activations import custom_objects, made_of
from ...training.optimizers.adadelta import AdadeltaOptimizer
from ...training.optimizers.adagrad import AdagradOptimizer
from ...training.optimizers.adam import AdamOptimizer
from ...training.optimizers.gradient_descent import GradientDescentOptimizer
from ...training.optimizers.optimizer import Optimizer as PlainOptimizer
from ..backend.config import epsilon as default_epsilon
from .optimizer import FromPlain, Optimizer
from .rule_optimizers import GreatestAdam, Momentum, NesterovAdam, RootMeanSquare, SteadyAdam

public = {"td.keras.optimizers": "Adadelta Adagrad Adam Adamax Nadam RMSprop SGD get"}


# Settings in TensorFlow's configs of optimizers, with the only value supported here.
_LATER: dict[str, Any] = {"centered": False, "momentum": 0.0}


def _given(lr: Any, settings: dict[str, Any]) -> Any:
    """The learning rate, which has had two names.

    Raises:
        TypeError: unknown setting.
        ValueError: a setting has an unsupported value.
    """
    rate = settings.pop("lr", settings.pop("learning_rate", lr))
    for name in {*settings} - {"clipnorm", "clipvalue", "name"}:
        if name not in _LATER:
            raise TypeError(f"an optimizer takes no argument {name!r}")
        if settings.pop(name) != _LATER[name]:
            raise ValueError(f"{name} is not supported here: it must be {_LATER[name]!r}")
    return rate


class SGD(Optimizer):
    """Gradient descent, optionally with momentum.

    Args:
        lr: the learning rate.
        momentum: the momentum factor.
        decay: as for `Optimizer`.
        nesterov: whether the gradient is taken ahead.
        settings: `clipnorm`, `clipvalue`, `name`, and `learning_rate` as another name for `lr`.

    Example:
        >>> td.keras.optimizers.SGD(0.5, momentum=0.9).get_config()["momentum"]
        0.9
    """

    def __init__(
        self,
        lr: Any = 0.01,
        momentum: float = 0.0,
        decay: float = 0.0,
        nesterov: bool = False,
        **settings: Any,
    ) -> None:
        rate = _given(lr, settings)
        super().__init__(settings.pop("name", "SGD"), rate, decay, **settings, momentum=momentum)
        self.nesterov = nesterov

    slots = ("momentum",)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make one like it; the learning rate as it is now."""
        return {**super().get_config(), "nesterov": self.nesterov}

    def _step_maker(self, rate: Any) -> PlainOptimizer:
        if not self._initial["momentum"]:
            return GradientDescentOptimizer(rate)
        momentum = self._number("momentum")
        return Momentum(self._name, lr=rate, momentum=momentum, nesterov=self.nesterov)


class RMSprop(Optimizer):
    """Steps divided by the root of the moving average of squares.

    Args:
        lr: the learning rate.
        rho: the decay rate of the average.
        epsilon: what keeps divisors from 0.
        decay: as for `Optimizer`.
        settings: `clipnorm`, `clipvalue`, `name`, and `learning_rate` as another name for `lr`.

    Example:
        >>> td.keras.optimizers.RMSprop().get_config()["rho"]
        0.9
    """

    def __init__(
        self,
        lr: Any = 0.001,
        rho: float = 0.9,
        epsilon: float | None = None,
        decay: float = 0.0,
        **settings: Any,
    ) -> None:
        rate = _given(lr, settings)
        super().__init__(settings.pop("name", "RMSprop"), rate, decay, **settings, rho=rho)
        self.epsilon = epsilon or default_epsilon()

    slots = ("rms",)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make one like it; the learning rate as it is now."""
        return {**super().get_config(), "epsilon": self.epsilon}

    def _step_maker(self, rate: Any) -> PlainOptimizer:
        rho = self._number("rho")
        return RootMeanSquare(self._name, lr=rate, rho=rho, epsilon=self.epsilon)


class _Adagrad(AdagradOptimizer):
    """The step of Adagrad with an epsilon."""

    _op = "AdagradV2"

    def __init__(self, rate: Any, epsilon: float, initial: float, name: str) -> None:
        super().__init__(rate, initial, name=name)
        self._numbers["epsilon"] = ("epsilon", epsilon)


class Adagrad(Optimizer):
    """Steps that shrink with the sum of the squares of all gradients.

    Args:
        lr: the learning rate.
        epsilon: what keeps divisors from 0.
        decay: as for `Optimizer`.
        settings: `initial_accumulator_value`, `clipnorm`, `clipvalue`, `name`, and `learning_rate`
            as another name for `lr`.

    Example:
        >>> td.keras.optimizers.Adagrad(0.1).get_config()["learning_rate"]
        0.1
    """

    def __init__(
        self, lr: Any = 0.001, epsilon: float | None = None, decay: float = 0.0, **settings: Any
    ) -> None:
        self.begin = settings.pop("initial_accumulator_value", 0.1)
        rate = _given(lr, settings)
        super().__init__(settings.pop("name", "Adagrad"), rate, decay, **settings)
        self.epsilon = epsilon or default_epsilon()

    slots = ("accumulator",)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make one like it; the learning rate as it is now."""
        return {
            **super().get_config(),
            "epsilon": self.epsilon,
            "initial_accumulator_value": self.begin,
        }

    def _step_maker(self, rate: Any) -> PlainOptimizer:
        return _Adagrad(rate, self.epsilon, self.begin, self._name)


class Adadelta(Optimizer):
    """Steps by the ratio of the moving averages of steps and of gradients.

    Args:
        lr: the learning rate.
        rho: the decay rate of the averages.
        epsilon: what keeps roots from 0.
        decay: as for `Optimizer`.
        settings: `clipnorm`, `clipvalue`, `name`, and `learning_rate` as another name for `lr`.

    Example:
        >>> td.keras.optimizers.Adadelta().get_config()["rho"]
        0.95
    """

    def __init__(
        self,
        lr: Any = 0.001,
        rho: float = 0.95,
        epsilon: float | None = None,
        decay: float = 0.0,
        **settings: Any,
    ) -> None:
        rate = _given(lr, settings)
        super().__init__(settings.pop("name", "Adadelta"), rate, decay, **settings, rho=rho)
        self.epsilon = epsilon or default_epsilon()

    slots = ("accum", "accum_update")

    def get_config(self) -> dict[str, Any]:
        """The arguments that make one like it; the learning rate as it is now."""
        return {**super().get_config(), "epsilon": self.epsilon}

    def _step_maker(self, rate: Any) -> PlainOptimizer:
        return AdadeltaOptimizer(rate, self._number("rho"), self.epsilon)


class Adam(Optimizer):
    """Steps by averages of gradients and of their squares.

    Args:
        lr: the learning rate.
        beta_1: the decay rate of the mean of gradients.
        beta_2: the decay rate of the mean of their squares.
        epsilon: what keeps the divisor from 0.
        decay: as for `Optimizer`.
        amsgrad: whether the greatest average of squares until now counts.
        settings: `clipnorm`, `clipvalue`, `name`, and `learning_rate` as another name for `lr`.

    Example:
        >>> td.keras.optimizers.Adam(lr=1e-4).get_config()["beta_2"]
        0.999
    """

    def __init__(
        self,
        lr: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float | None = None,
        decay: float = 0.0,
        amsgrad: bool = False,
        **settings: Any,
    ) -> None:
        if amsgrad and not self._further:
            raise TypeError(f"{type(self).__name__} takes no argument 'amsgrad'")
        rate, name = _given(lr, settings), settings.pop("name", "Adam")
        super().__init__(name, rate, decay, **settings, beta_1=beta_1, beta_2=beta_2)
        self.epsilon, self.amsgrad = epsilon or default_epsilon(), amsgrad

    slots = ("m", "v", "vhat")
    _further: ClassVar[tuple[str, ...]] = ("amsgrad",)

    def _following(self, done: int) -> list[tuple[Any, Any]]:
        """The powers of both factors, which the step keeps."""
        if not isinstance(self._maker, AdamOptimizer):
            return []
        powers = zip(("beta_1", "beta_2"), self._maker._get_beta_accumulators(), strict=True)
        return [(power, self._initial[name] ** (done + 1)) for name, power in powers]

    def get_config(self) -> dict[str, Any]:
        """The arguments that make one like it; the learning rate as it is now."""
        further = {name: getattr(self, name) for name in self._further}
        return {**super().get_config(), "epsilon": self.epsilon, **further}

    def _step_maker(self, rate: Any) -> PlainOptimizer:
        beta1, beta2, epsilon = self._initial["beta_1"], self._initial["beta_2"], self.epsilon
        if not self.amsgrad:
            return AdamOptimizer(rate, beta1, beta2, epsilon)
        done = cast(self.iterations.value() + 1, "float32")
        fair = rate * (1.0 - power(beta2, done)) ** 0.5 / (1.0 - power(beta1, done))
        return SteadyAdam(self._name, lr=fair, beta_1=beta1, beta_2=beta2, epsilon=epsilon)


class Adamax(Adam):
    """Adam, with the greatest gradient in place of the average of squares.

    Args:
        lr: the learning rate.
        settings: as for `Adam`.

    Example:
        >>> td.keras.optimizers.Adamax().get_config()["learning_rate"]
        0.001
    """

    _further = ()

    def __init__(self, lr: Any = 0.001, **settings: Any) -> None:
        super().__init__(lr, **{"name": "Adamax", **settings})

    def _step_maker(self, rate: Any) -> PlainOptimizer:
        beta1, beta2 = self._initial["beta_1"], self._initial["beta_2"]
        fair = 1.0 - power(beta1, cast(self.iterations.value() + 1, "float32"))
        return GreatestAdam(
            self._name, lr=rate / fair, beta_1=beta1, beta_2=beta2, epsilon=self.epsilon
        )


class Nadam(Adam):
    """Adam with Nesterov's momentum.

    Args:
        lr: the learning rate.
        settings: `schedule_decay`, how the momentum grows, by default 0.004; and as for `Adam`.

    Example:
        >>> td.keras.optimizers.Nadam().get_config()["learning_rate"]
        0.001
    """

    _further = ()
    counted = ("momentum_cache",)

    def __init__(self, lr: Any = 0.001, **settings: Any) -> None:
        # Files of Keras say decay for what its programs say schedule_decay.
        decay = settings.pop("decay", 0.004)
        self.schedule_decay = float(settings.pop("schedule_decay", decay))
        super().__init__(lr, **{"name": "Nadam", **settings})
        self._initial["momentum_cache"] = 1.0

    def get_config(self) -> dict[str, Any]:
        """The arguments that make one like it; the learning rate as it is now."""
        return {**super().get_config(), "decay": self.schedule_decay}

    def _step_maker(self, rate: Any) -> PlainOptimizer:
        beta1, beta2 = self._initial["beta_1"], self._initial["beta_2"]
        step = cast(self.iterations.value() + 1, "float32")
        slowed = self.schedule_decay
        now, ahead = [beta1 * (1.0 - 0.5 * power(0.96, slowed * at)) for at in (step, step + 1.0)]
        product = self._variable("momentum_cache").value() * now
        with control_dependencies([product]):
            kept = self._variable("momentum_cache").assign(product)
        with control_dependencies([kept]):
            return NesterovAdam(
                self._name,
                lr=rate,
                beta_1=beta1,
                beta_2=beta2,
                epsilon=self.epsilon,
                momentum=now,
                next_momentum=ahead,
                schedule=product + 0.0,
                beta_2_power=power(beta2, step),
            )


_WORDS = {
    cls.__name__.lower(): cls for cls in (SGD, RMSprop, Adagrad, Adadelta, Adam, Adamax, Nadam)
}


def get(identifier: Any) -> Optimizer:
    """Looks up an optimizer by name.

    Args:
        identifier: the word, or a dict of `class_name` and `config`; an optimizer stays as it is,
            and one of `td.train` becomes one.

    Raises:
        ValueError: it is neither.

    Example:
        >>> type(td.keras.optimizers.get("adam")).__name__
        'Adam'
    """
    if isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, PlainOptimizer):
        return FromPlain(identifier)
    described = isinstance(identifier, dict) and {*identifier} >= {"class_name", "config"}
    word = identifier["class_name"] if described else identifier
    optimizers = {**_WORDS, **custom_objects}
    target = optimizers.get(word, _WORDS.get(str(word).lower())) if isinstance(word, str) else None
    if target is None:
        raise ValueError(f"optimizer must be one of {sorted(_WORDS)} or an Optimizer, got {word!r}")
    return made_of(target, identifier["config"]) if described else target()
