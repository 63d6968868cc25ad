"""Further losses of Keras, and losses as objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...ops.array.cast import cast
from ...ops.math.arithmetic import abs as magnitude, maximum, minimum, square
from ...ops.math.reductions import reduce_max, reduce_mean, reduce_sum
from ...ops.nn.activations import softplus
from ...ops.statistics.norms import l2_normalize
from ...training.layers.named_functions import custom_objects, made_of
from . import keras_losses as plain

public = {
    "td.keras.losses": (
        "BinaryCrossentropy CategoricalCrossentropy Huber Loss MeanAbsoluteError MeanSquaredError "
        "SparseCategoricalCrossentropy categorical_hinge cosine_proximity "
        "cosine_similarity=cosine_proximity get logcosh"
    )
}


@plain.described
def logcosh(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of the logarithms of the hyperbolic cosine of what predictions are off.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.losses.logcosh([[0.0]], [[1.0]])).round(4))
        [0.4338]
    """
    off = convert_to_tensor(y_pred) - cast(y_true, convert_to_tensor(y_pred).dtype)
    return reduce_mean(off + softplus(-2.0 * off) - 0.6931471805599453, axis=-1)


def categorical_hinge(y_true: Any, y_pred: Any) -> Tensor:
    """By how much the greatest other prediction exceeds that of the label less 1.

    Args:
        y_true: the labels in one-hot rows.
        y_pred: the predictions.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.losses.categorical_hinge([[0.0, 1.0]], [[0.5, 1.0]])))
        [0.5]
    """
    predicted = convert_to_tensor(y_pred)
    labels = cast(y_true, predicted.dtype)
    right = reduce_sum(labels * predicted, axis=-1)
    wrong = reduce_max((1.0 - labels) * predicted, axis=-1)
    return maximum(wrong - right + 1.0, 0.0)


def cosine_proximity(y_true: Any, y_pred: Any, axis: int = -1) -> Tensor:
    """The cosine of the angle between labels and predictions, negated.

    Args:
        y_true: the labels, of the shape of the predictions.
        y_pred: the predictions.
        axis: the dimension of the vectors.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.losses.cosine_proximity([[0.0, 1.0]], [[0.0, 3.0]])))
        [-1.]
    """
    predicted = convert_to_tensor(y_pred)
    labels = cast(y_true, predicted.dtype)
    return -reduce_sum(l2_normalize(labels, axis) * l2_normalize(predicted, axis), axis=axis)


def _huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Tensor:
    predicted = convert_to_tensor(y_pred)
    off = magnitude(predicted - cast(y_true, predicted.dtype))
    near = minimum(off, delta)
    return reduce_mean(0.5 * square(near) + delta * (off - near), axis=-1)


class Loss:
    """A loss as an object: called on labels and predictions, it gives their mean.

    Args:
        reduction: accepted for TensorFlow's sake: the mean over all examples is taken.
        name: the name.

    Example:
        >>> class Greatest(td.keras.losses.Loss):
        ...     def call(self, y_true, y_pred):
        ...         return td.reduce_max(td.abs(y_true - y_pred), axis=-1)
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(Greatest()(td.constant([[1.0, 2.0]]), td.constant([[1.0, 5.0]])))
        np.float32(3.0)
    """

    def __init__(self, reduction: Any = "auto", name: str | None = None) -> None:
        self.reduction = reduction
        self.name = name

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each example; to be overridden."""
        raise NotImplementedError(f"{type(self).__name__} does not say what {y_pred} loses")

    def get_config(self) -> dict[str, Any]:
        """The arguments that make one like it."""
        return {"reduction": self.reduction, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """The loss that `get_config` told."""
        return cls(**config)

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The mean loss, where examples may have weights."""
        losses = self.call(y_true, y_pred)
        if sample_weight is not None:
            losses = losses * cast(sample_weight, losses.dtype)
        return reduce_mean(losses)


class LossOfFunction(Loss):
    """A loss that is a function, with settings."""

    def __init__(
        self, function: Callable[..., Any], reduction: Any, name: str, **settings: Any
    ) -> None:
        super().__init__(reduction, name)
        self.function = function
        self._settings = settings

    def get_config(self) -> dict[str, Any]:
        """The arguments that make one like it."""
        return {**super().get_config(), **self._settings}

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The function of labels and predictions."""
        return self.function(y_true, y_pred, **self._settings)


class MeanSquaredError(LossOfFunction):
    """`mean_squared_error` as an object.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.keras.losses.MeanSquaredError()([[1.0]], [[3.0]]))
        np.float32(4.0)
    """

    def __init__(self, reduction: Any = "auto", name: str = "mean_squared_error") -> None:
        super().__init__(plain.mean_squared_error, reduction, name)


class MeanAbsoluteError(LossOfFunction):
    """`mean_absolute_error` as an object.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.keras.losses.MeanAbsoluteError()([[1.0]], [[3.0]]))
        np.float32(2.0)
    """

    def __init__(self, reduction: Any = "auto", name: str = "mean_absolute_error") -> None:
        super().__init__(plain.mean_absolute_error, reduction, name)


class Huber(LossOfFunction):
    """Squares of what is off up to a limit, and linear beyond.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.keras.losses.Huber()([[1.0]], [[3.0]]))
        np.float32(1.5)
    """

    def __init__(
        self, delta: float = 1.0, reduction: Any = "auto", name: str = "huber_loss"
    ) -> None:
        super().__init__(_huber, reduction, name, delta=delta)


class CategoricalCrossentropy(LossOfFunction):
    """`categorical_crossentropy` as an object.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     loss = td.keras.losses.CategoricalCrossentropy(from_logits=True)
        ...     session.run(loss([[1.0, 0.0]], [[2.0, 2.0]]))
        np.float32(0.6931472)
    """

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        reduction: Any = "auto",
        name: str = "categorical_crossentropy",
    ) -> None:
        function = plain.categorical_crossentropy
        settings = {"from_logits": from_logits, "label_smoothing": label_smoothing}
        super().__init__(function, reduction, name, **settings)


class SparseCategoricalCrossentropy(LossOfFunction):
    """`sparse_categorical_crossentropy` as an object.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     loss = td.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        ...     session.run(loss([1.0], [[2.0, 2.0]]))
        np.float32(0.6931472)
    """

    def __init__(
        self,
        from_logits: bool = False,
        reduction: Any = "auto",
        name: str = "sparse_categorical_crossentropy",
    ) -> None:
        function = plain.sparse_categorical_crossentropy
        super().__init__(function, reduction, name, from_logits=from_logits)


class BinaryCrossentropy(LossOfFunction):
    """`binary_crossentropy` as an object.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     loss = td.keras.losses.BinaryCrossentropy(from_logits=True)
        ...     session.run(loss([[1.0]], [[0.0]]))
        np.float32(0.6931472)
    """

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        reduction: Any = "auto",
        name: str = "binary_crossentropy",
    ) -> None:
        settings = {"from_logits": from_logits, "label_smoothing": label_smoothing}
        super().__init__(plain.binary_crossentropy, reduction, name, **settings)


_WORDS: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(plain, entry.partition("=")[2] or name)
        for names in plain.public.values()
        for entry in names.split()
        if (name := entry.partition("=")[0]) != "get"
    },
    "categorical_hinge": categorical_hinge,
    "cosine": cosine_proximity,
    "cosine_proximity": cosine_proximity,
    "cosine_similarity": cosine_proximity,
    "logcosh": logcosh,
}


def get(identifier: Any) -> Any:
    """The loss that a word stands for.

    Args:
        identifier: the word; a function or a Loss stays as it is, and None.

    Raises:
        ValueError: the word stands for none.

    Example:
        >>> td.keras.losses.get("mse") is td.keras.losses.get("mean_squared_error")
        True
    """
    if identifier is None or callable(identifier):
        return identifier
    known = {**_WORDS, **custom_objects}
    if isinstance(identifier, dict) and {*identifier} >= {"class_name", "config"}:
        config = dict(identifier["config"] or {})
        if "fn" in config:  # a function that TensorFlow has made an object of
            return get(config["fn"])
        classes = {cls.__name__: cls for cls in LossOfFunction.__subclasses__()}
        name, known = identifier["class_name"], {**classes, **custom_objects}
        if name in known:
            return made_of(known[name], config)
        identifier = name
    if identifier not in known:
        raise ValueError(
            f"loss {identifier!r} is none of {sorted(known)}: give custom_objects for one of "
            "your own"
        )
    return known[identifier]
