"""What makes a layer one of Keras: words for functions, and losses that are its own."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

from ...graph.node import Tensor
from ...ops.array.constants import identity
from ...ops.kit.nest import flatten, map_structure
from ..layers.layer import Layer
from ..layers.named_functions import meant
from .backend_session import batch_set_value, get_session
from .keras_calls import LayerCall, mask_of, note_call, note_mask

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

public = {"td.keras.layers": "Layer=KerasStyle"}

# What Keras takes to know the input before the call; here the call tells.
_OF_INPUT = {"batch_input_shape", "batch_size", "input_dim", "input_length", "input_shape"}


def _input_shape(settings: Mapping[str, Any]) -> tuple[int | None, ...] | None:
    """The shape of the input with that of the batch, where settings of a layer tell it."""
    if "batch_input_shape" in settings:
        return tuple(settings["batch_input_shape"])
    sizes = settings.get("input_shape")
    if sizes is None and "input_dim" in settings:
        steps = [settings["input_length"]] if "input_length" in settings else []
        sizes = [*steps, settings["input_dim"]]
    if sizes is None:
        return None
    return (settings.get("batch_size"), *(sizes if isinstance(sizes, (list, tuple)) else [sizes]))


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

    keeps_steps = False
    """Whether the steps of the output are those of the input."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        known = {key: value for key, value in kwargs.items() if key not in _OF_INPUT}
        self.batch_input_shape = _input_shape(kwargs)
        given = signature(super().__init__).bind(*args, **known)
        for name, value in given.arguments.items():
            given.arguments[name] = meant(name, value)
        super().__init__(*given.args, **given.kwargs)
        self.calls: list[LayerCall] = []

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Adds losses to those of the layer."""
        del inputs
        self._losses += losses if isinstance(losses, (list, tuple)) else [losses]

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Adds updates to those of the layer."""
        del inputs
        self._updates += updates if isinstance(updates, (list, tuple)) else [updates]

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Calls the layer, and notes what it made of what."""
        outputs = super().__call__(inputs, *args, **kwargs)
        given = {id(leaf) for leaf in flatten(inputs) if isinstance(leaf, Tensor)}
        if any(id(leaf) in given for leaf in flatten(outputs)):
            outputs = map_structure(_once_more, outputs)  # so that each tensor has one layer
        self.note(inputs, args, kwargs, outputs)
        mask = self.compute_mask(inputs)
        if mask is not None:
            note_mask(outputs, mask)
        return outputs

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Which steps of the output count: those of the input, where that tells it."""
        if mask is not None or not self.keeps_steps or isinstance(inputs, (list, tuple)):
            return mask
        return mask_of(inputs) if isinstance(inputs, Tensor) else None

    def note(self, inputs: Any, args: Any, kwargs: Any, outputs: Any) -> None:
        """Notes a call of the layer."""
        call = LayerCall(self, inputs, args, kwargs, outputs)
        note_call(call)
        self.calls.append(call)

    @property
    def input(self) -> Any:
        """What the layer was first called on.

        Raises:
            AttributeError: it has not been called.
        """
        return self._first_call().inputs

    @property
    def output(self) -> Any:
        """What the first call of the layer gave.

        Raises:
            AttributeError: it has not been called.
        """
        return self._first_call().outputs

    @property
    def input_shape(self) -> Any:
        """The shape of `input`, as a tuple."""
        return map_structure(lambda tensor: tuple(tensor.shape.as_list()), self.input)

    @property
    def output_shape(self) -> Any:
        """The shape of `output`, as a tuple."""
        return map_structure(lambda tensor: tuple(tensor.shape.as_list()), self.output)

    def _first_call(self) -> LayerCall:
        if not self.calls:
            raise AttributeError(f"layer {self.name} has not been called")
        return self.calls[0]

    def get_weights(self, session: Any = None) -> list[Any]:
        """The values of the variables, in a session: by default that of Keras."""
        weights = self.weights
        if not weights:
            return []
        values: list[Any] = (session or get_session()).run(weights)
        return values

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Puts values into the variables, in the session of Keras.

        Args:
            weights: the values, in the order of `get_weights`.

        Raises:
            ValueError: they are more or fewer than the variables, or of other shapes.
        """
        own = self.weights
        if len(weights) != len(own):
            raise ValueError(f"layer {self.name} has {len(own)} variables, got {len(weights)}")
        batch_set_value(zip(own, weights, strict=True))


def _once_more(leaf: Any) -> Any:
    return identity(leaf) if isinstance(leaf, Tensor) else leaf


class FunctionLayer(KerasStyle):
    """A layer that is one function of its input."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.function: Callable[[Any], Any] = lambda inputs: inputs

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The function of the input."""
        del args, kwargs
        return self.function(inputs)
