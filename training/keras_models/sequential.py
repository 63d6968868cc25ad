"""The Sequential: one layer after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...modelling.keras.keras_style import KerasStyle
from ...modelling.keras.plain_layers import Input, InputLayer
from .model import Model

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

public = {"td.keras, td.keras.models": "Sequential"}


class Sequential(Model):
    """A Model whose layers come one after the other.

    Where the first layer has an `input_shape`, each is called as it is added; else the first data
    tell the shape.

    Args:
        layers: the layers.
        name: the name.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     model = td.keras.Sequential()
        ...     model.add(td.keras.layers.Dense(4, activation="relu", input_shape=(3,)))
        ...     model.add(td.keras.layers.Dense(1))
        ...     [layer.name for layer in model.layers], model.count_params()
        (['dense', 'dense_1'], 21)
    """

    def __init__(self, layers: Sequence[Any] | None = None, name: str | None = None) -> None:
        super().__init__(name=name)
        self._chain: list[Any] = []
        self._ends: list[Any] = []  # what each layer gave
        for layer in layers or ():
            self.add(layer)

    @property
    def layers(self) -> list[Any]:
        """The layers, without that of the input."""
        return list(self._chain)

    def add(self, layer: Any) -> None:
        """Adds a layer at the end.

        Args:
            layer: a layer of Keras, or a model.

        Raises:
            TypeError: it is none.
        """
        if not isinstance(layer, KerasStyle):
            raise TypeError(
                f"the added layer must be a layer of td.keras.layers, got {layer!r}: those of "
                "td.layers have their kin there"
            )
        if isinstance(layer, InputLayer):
            shape = layer.batch_input_shape
            self._start(Input(batch_shape=shape, dtype=layer.dtype and layer.dtype.name))
            return
        self._chain.append(layer)
        self._layers.append(layer)
        if self.outputs:
            self._append(layer)
        elif len(self._chain) == 1:
            if isinstance(layer, Model) and layer.inputs:
                first = layer.inputs[0]
                self._start(Input(first.shape.as_list()[1:], dtype=first.dtype.base_dtype))
                self._append(layer)
            elif layer.batch_input_shape is not None:
                # Floats of a layer say nothing of what it looks up.
                self._start(Input(batch_shape=layer.batch_input_shape))
                self._append(layer)

    def _start(self, tensor: Any) -> None:
        self.inputs = [tensor]
        self._input_form = tensor
        self.outputs = [tensor]

    def _append(self, layer: Any) -> None:
        self._ends.append(layer(self.outputs[0]))
        self._connect(self.inputs[0], self._ends[-1])
        self._layers = list(self._chain)

    def pop(self) -> None:
        """Takes the last layer away.

        Raises:
            TypeError: there is none.
        """
        if not self._chain:
            raise TypeError("There are no layers in the model.")
        self._chain.pop()
        if self.outputs:
            self._ends.pop()
            self._connect(self.inputs[0], self._ends[-1] if self._ends else self.inputs[0])
        self._layers = list(self._chain)

    def build(self, input_shape: Any) -> None:
        """Calls the layers on an input of a shape.

        Args:
            input_shape: the shape, with that of the batch.
        """
        if not self.outputs:
            self._start(Input(batch_shape=tuple(input_shape)))
            for layer in self._chain:
                self._append(layer)
            self._trained = self.trainable_weights

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Calls the layers again, on another input."""
        if self.outputs:
            return super().call(inputs, *args, **kwargs)
        for layer in self._chain:
            inputs = layer(inputs)
        return inputs

    def _ensure_built(self, arrays: Sequence[np.ndarray[Any, Any]]) -> None:
        if not self.outputs:
            self.build((None, *arrays[0].shape[1:]))

    def predict_classes(self, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
        """The numbers of the classes that are told.

        Args:
            x: as for `predict`.
            batch_size: as for `predict`.
            verbose: as for `predict`.
        """
        found = self.predict(x, batch_size, verbose)
        return found.argmax(axis=-1) if found.shape[-1] > 1 else (found > 0.5).astype("int32")

    def predict_proba(self, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
        """The same as `predict`."""
        return self.predict(x, batch_size, verbose)
