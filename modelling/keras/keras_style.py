"""What makes a layer one of Keras: words for functions, and losses that are its own."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

from ..layers.layer import Layer
from ..layers.named_functions import meant

if TYPE_CHECKING:
    from collections.abc import Callable

public = {"td.keras.layers": "Layer=KerasStyle"}

# What Keras takes to know the input before the call; here the call tells.
_OF_INPUT = {"batch_input_shape", "batch_size", "input_dim", "input_length", "input_shape"}


class KerasStyle(Layer):
    """A layer whose arguments may be words, and whose losses and updates are in no collection.

    Args:
        args: arguments of the layer below.
        kwargs: arguments of the layer below; those that tell the input are passed over.

    Example:
        >>> import tensordraft as td
        >>> class Scale(td.keras.layers.Layer):
        ...     def build(self, input_shape):
        ...         self.factor = self.add_weight("factor", [], initializer=td.ones_initializer())
        ...         super().build(input_shape)
        ...
        ...     def call(self, inputs):
        ...         return inputs * self.factor
        >>> with td.Graph().as_default():
        ...     Scale()(td.ones([2])).op.name, td.trainable_variables()[0].op.name
        ('scale/mul', 'scale/factor')
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        known = {key: value for key, value in kwargs.items() if key not in _OF_INPUT}
        given = signature(super().__init__).bind(*args, **known)
        for name, value in given.arguments.items():
            given.arguments[name] = meant(name, value)
        super().__init__(*given.args, **given.kwargs)

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Adds losses to those of the layer."""
        del inputs
        self._losses += losses if isinstance(losses, (list, tuple)) else [losses]

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Adds updates to those of the layer."""
        del inputs
        self._updates += updates if isinstance(updates, (list, tuple)) else [updates]

    def get_weights(self, session: Any) -> list[Any]:
        """The values of the variables in a session."""
        values: list[Any] = session.run(self.weights)
        return values


class FunctionLayer(KerasStyle):
    """A layer that is one function of its input."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.function: Callable[[Any], Any] = lambda inputs: inputs

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The function of the input."""
        del args, kwargs
        return self.function(inputs)
