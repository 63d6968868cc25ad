"""Layers around layers: each step by the same one, and both ways."""

from __future__ import annotations

import copy
from typing import Any

from ...ops.array.joining import concat
from ...ops.array.reshaping import reshape
from ...ops.array.reversing import reverse
from ...ops.array.shapes import shape
from ...ops.kit.nest import flatten
from .keras_style import KerasStyle
from .recurrent_layers import Recurrent

public = {"td.keras.layers": "Bidirectional TimeDistributed Wrapper"}


class Wrapper(KerasStyle):
    """A layer around another one, whose variables are its own.

    Args:
        layer: the layer.
        kwargs: further arguments of a layer.

    Example:
        >>> import tensordraft as td
        >>> td.keras.layers.Wrapper(td.keras.layers.Dense(3)).layer.units
        3
    """

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.layer = layer

    def parts(self) -> list[Any]:
        """The layers within."""
        return [self.layer]

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables within that are trained."""
        found = [weight for part in self.parts() for weight in part.trainable_weights]
        return found if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables within that are not trained."""
        kinds = ["non_trainable_weights"] if self.trainable else ["weights"]
        return [weight for part in self.parts() for kind in kinds for weight in getattr(part, kind)]

    @property
    def weights(self) -> list[Any]:
        """All variables within."""
        return [weight for part in self.parts() for weight in part.weights]

    @property
    def losses(self) -> list[Any]:
        """The losses within."""
        return [loss for part in self.parts() for loss in part.losses]

    @property
    def updates(self) -> list[Any]:
        """The updates within."""
        return [update for part in self.parts() for update in part.updates]


class TimeDistributed(Wrapper):
    """Calls a layer on each step of sequences.

    Args:
        layer: the layer.
        kwargs: further arguments of a layer.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.TimeDistributed(td.keras.layers.Dense(4))
        ...     layer(td.ones([2, 5, 3])).shape.as_list(), len(layer.weights)
        ([2, 5, 4], 2)
    """

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The outputs for all steps."""
        sizes = inputs.shape.as_list()
        if sizes[2:] and None in sizes[2:]:
            raise ValueError(f"sizes of a step must be known, got shape {inputs.shape}")
        steps = reshape(inputs, [-1, *sizes[2:]])
        outputs = self.layer(steps, *args, **kwargs)
        rest = outputs.shape.as_list()[1:]
        first = sizes[0] if sizes[0] is not None else -1
        if sizes[1] is not None:
            return reshape(outputs, [first, sizes[1], *rest])
        made = reshape(outputs, concat([shape(inputs)[:2], rest], 0))
        made.set_shape([sizes[0], None, *rest])
        return made


class Bidirectional(Wrapper):
    """Calls a recurrent layer on sequences, and another one on them from behind.

    Args:
        layer: the recurrent layer; the other one is made alike.
        merge_mode: "concat", "sum", "mul", "ave", or None for a list of both.
        kwargs: further arguments of a layer.

    Raises:
        ValueError: `merge_mode` is another word, or the layer is not recurrent.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.Bidirectional(td.keras.layers.LSTM(4))
        ...     layer(td.ones([2, 5, 3])).shape.as_list(), len(layer.weights)
        ([2, 8], 6)
    """

    def __init__(self, layer: Any, merge_mode: str | None = "concat", **kwargs: Any) -> None:
        if not isinstance(layer, Recurrent):
            raise ValueError(f"layer must be recurrent, such as LSTM, got {layer!r}")
        if merge_mode not in ("concat", "sum", "mul", "ave", None):
            raise ValueError(
                f"merge_mode must be 'concat', 'sum', 'mul', 'ave' or None, got {merge_mode!r}"
            )
        if "input_shape" not in kwargs and layer.batch_input_shape is not None:
            kwargs["batch_input_shape"] = layer.batch_input_shape
        super().__init__(layer, **kwargs)
        self.merge_mode = merge_mode
        self.forward_layer = layer
        self.backward_layer = copy.copy(layer)
        for one, word in ((self.forward_layer, "forward"), (self.backward_layer, "backward")):
            one._base_name = f"{word}_{layer._base_name.removeprefix('forward_')}"
        for name in ("_trainable_weights", "_non_trainable_weights", "_losses", "_updates"):
            setattr(self.backward_layer, name, [])
        self.backward_layer.calls = []
        self.backward_layer.go_backwards = not layer.go_backwards

    def parts(self) -> list[Any]:
        """The layers of both ways."""
        return [self.forward_layer, self.backward_layer]

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """What both ways give, put together; behind it their states where they are asked for."""
        found = [flatten(part(inputs, *args, **kwargs)) for part in self.parts()]
        one, other = found[0][0], found[1][0]
        if self.forward_layer.return_sequences:
            other = reverse(other, [1])
        merged = _merged(one, other, self.merge_mode)
        states = [*found[0][1:], *found[1][1:]]
        if not states:
            return merged
        return [*(merged if isinstance(merged, list) else [merged]), *states]


def _merged(one: Any, other: Any, mode: str | None) -> Any:
    """What both ways give, put together."""
    if mode is None:
        return [one, other]
    if mode == "concat":
        return concat([one, other], -1)
    if mode == "mul":
        return one * other
    return one + other if mode == "sum" else (one + other) / 2.0
