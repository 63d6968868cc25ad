"""Recurrent layers: LSTM, GRU and the plain one, with the formulas of Keras."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ...ops.array.casting import cast
from ...ops.array.fills import ones_like
from ...ops.array.joining import concat
from ...ops.array.reversing import reverse
from ...ops.array.splitting import split
from ...ops.array.squeezing import expand_dims
from ...ops.linalg.matmul import matmul
from ...ops.math.select import where_v2
from ...ops.nn import layers as nn
from ..layers.named_functions import linear, meant
from ..rnn.dynamic_rnn import dynamic_rnn
from .backend_session import learning_phase
from .keras_calls import mask_of
from .keras_style import KerasStyle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...graph.node import Tensor

public = {"td.keras.layers": "CuDNNLSTM GRU LSTM SimpleRNN"}


class _Step:
    """One step of a recurrent layer as a cell of `td.nn.dynamic_rnn`.

    Where steps are masked, their last column tells which count: the others leave the states as they
    are, and repeat the output.
    """

    def __init__(self, layer: Recurrent, masks: list[Any], masked: bool) -> None:
        self._layer, self._masks, self._masked = layer, masks, masked
        count = len(layer.states)
        self.output_size = layer.units
        self.state_size = (layer.units,) * count

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """The output, and the states after the step."""
        del scope
        if not self._masked:
            new = self._layer.step(inputs, list(state), self._masks)
            return new[0], tuple(new)
        counts = inputs[:, -1:] > 0.5
        new = self._layer.step(inputs[:, :-1], list(state), self._masks)
        kept = [where_v2(counts, one, old) for one, old in zip(new, state, strict=True)]
        return kept[0], tuple(kept)


class Recurrent(KerasStyle):
    """What recurrent layers have in common; the first of their states is their output.

    Args:
        units: the size of the output.
        activation: of the output, or of what is new: a function, or the word for it.
        use_bias: whether there is a bias.
        return_sequences: whether the outputs of all steps are given, or the last one.
        return_state: whether the states after the last step are given, too.
        go_backwards: whether the last step comes first.
        dropout: which part of the inputs is dropped in training.
        recurrent_dropout: which part of the states.
        settings: `kernel_initializer`, `recurrent_initializer`, `bias_initializer`,
            `kernel_regularizer`, `recurrent_regularizer`, `bias_regularizer`, and arguments of a
            layer; `stateful` must be False.
    """

    gates = 1
    states: ClassVar[tuple[str, ...]] = ("h",)

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        use_bias: bool = True,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **settings: Any,
    ) -> None:
        if settings.pop("stateful", False):
            raise ValueError("stateful is not supported: give initial_state the states of before")
        defaults = {
            "kernel_initializer": "glorot_uniform",
            "recurrent_initializer": "orthogonal",
            "bias_initializer": "zeros",
            "kernel_regularizer": None,
            "recurrent_regularizer": None,
            "bias_regularizer": None,
        }
        self._made_by = {
            name: meant(name, settings.pop(name, value)) for name, value in defaults.items()
        }
        for name in ("unroll", "implementation", "time_major"):
            settings.pop(name, None)
        super().__init__(**settings)
        self.units = int(units)
        self.activation = meant("activation", activation) or linear
        self.use_bias = use_bias
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards = go_backwards
        self.dropout, self.recurrent_dropout = dropout, recurrent_dropout
        self.kernel: Any = None
        self.recurrent_kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the variables."""
        first = input_shape[0] if isinstance(input_shape, list) else input_shape
        size = first.as_list()[-1]
        if size is None:
            raise ValueError(f"the last size of the input must be known, got shape {first}")
        shapes = {"kernel": size, "recurrent_kernel": self.units}
        for name, rows in shapes.items():
            kind = name.partition("_kernel")[0]
            made = self.add_variable(
                name,
                [rows, self.gates * self.units],
                initializer=self._made_by[f"{kind}_initializer"],
                regularizer=self._made_by[f"{kind}_regularizer"],
            )
            setattr(self, name, made)
        if self.use_bias:
            self.bias = self.add_variable(
                "bias",
                [self.gates * self.units],
                initializer=self.bias_initializer(),
                regularizer=self._made_by["bias_regularizer"],
            )
        super().build(input_shape)

    def bias_initializer(self) -> Any:
        """What the bias begins with."""
        return self._made_by["bias_initializer"]

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Calls the layer; `initial_state` may be a list of the states before the first step."""
        states = kwargs.pop("initial_state", None)
        if states is not None:
            states = list(states) if isinstance(states, (list, tuple)) else [states]
            inputs = [inputs, *states]
        return super().__call__(inputs, *args, **kwargs)

    def call(
        self, inputs: Any, *args: Any, training: Any = None, mask: Any = None, **kwargs: Any
    ) -> Any:
        """The output of the last step, or of all, and the states where they are asked for."""
        del args, kwargs
        states: Any = None
        if isinstance(inputs, list):
            inputs, *states = inputs
        mask = mask_of(inputs) if mask is None else mask
        drops = self._dropped(inputs, training)
        if mask is not None:
            inputs = concat([inputs, expand_dims(cast(mask, inputs.dtype), -1)], -1)
        if self.go_backwards:
            inputs = reverse(inputs, [1])
        step = _Step(self, drops, mask is not None)
        initial = tuple(states) if states else tuple(self._zeros(inputs))
        outputs, last = dynamic_rnn(step, inputs, initial_state=initial, scope="while")
        result = outputs if self.return_sequences else last[0]
        return [result, *last] if self.return_state else result

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Which steps of the output count, where all are given."""
        first = inputs[0] if isinstance(inputs, list) else inputs
        found = mask_of(first) if mask is None else mask
        return found if self.return_sequences and not self.return_state else None

    def _zeros(self, inputs: Any) -> list[Any]:
        """States of zeros."""
        column = 0.0 * inputs[:, 0, :1]
        return [column * ones_like(self.recurrent_kernel[:1, : self.units])] * len(self.states)

    def _dropped(self, inputs: Any, training: Any) -> list[Any]:
        """What the inputs and the output of each step are multiplied by; None for nothing."""
        phase = learning_phase() if training is None else training
        column = 0.0 * inputs[:, 0, :1] + 1.0
        found: list[Any] = []
        for rate, like in (
            (self.dropout, ones_like(inputs[:, 0])),
            (self.recurrent_dropout, column * ones_like(self.recurrent_kernel[:1, : self.units])),
        ):
            if not rate:
                found.append(None)
                continue
            drawn = nn.dropout(like, 1 - rate)
            found.append(where_v2(cast(phase, "bool"), drawn, like))
        return found

    def step(self, inputs: Any, states: list[Any], masks: Sequence[Any]) -> list[Any]:
        """The states after a step; to be overridden."""
        raise NotImplementedError(f"{type(self).__name__} has no step from {states} by {inputs}")

    def sums(self, inputs: Any, output: Any, masks: Sequence[Any]) -> tuple[Any, Any]:
        """What the kernels make of the inputs (with the bias) and of the output before."""
        by_input, by_output = masks
        from_input = matmul(inputs if by_input is None else inputs * by_input, self.kernel)
        if self.use_bias:
            from_input = from_input + self.bias
        return from_input, output if by_output is None else output * by_output


class SimpleRNN(Recurrent):
    """Each output is the activation of a product with the input and the output before.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.SimpleRNN(4)
        ...     layer(td.ones([2, 5, 3])).shape.as_list(), [w.op.name for w in layer.weights]
        ([2, 4], ['simple_rnn/kernel', 'simple_rnn/recurrent_kernel', 'simple_rnn/bias'])
    """

    def step(self, inputs: Any, states: list[Any], masks: Sequence[Any]) -> list[Any]:
        """The output after a step."""
        new, before = self.sums(inputs, states[0], masks)
        return [self.activation(new + matmul(before, self.recurrent_kernel))]


class LSTM(Recurrent):
    """Long short-term memory.

    Args:
        units: the size of the output.
        activation: of what is new, and of the output.
        recurrent_activation: of the gates; by default "hard_sigmoid", as in TensorFlow 1.x.
        unit_forget_bias: whether the bias of the forget gate begins with 1.
        settings: as for `SimpleRNN`.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.LSTM(4, return_sequences=True)
        ...     layer(td.ones([2, 5, 3])).shape.as_list(), layer.kernel.shape.as_list()
        ([2, 5, 4], [3, 16])
    """

    gates = 4
    states = ("h", "c")

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        unit_forget_bias: bool = True,
        **settings: Any,
    ) -> None:
        super().__init__(units, activation, **settings)
        self.recurrent_activation = meant("recurrent_activation", recurrent_activation) or linear
        self.unit_forget_bias = unit_forget_bias

    def bias_initializer(self) -> Any:
        """What the bias begins with: ones where the forget gate is."""
        plain = super().bias_initializer()
        if not self.unit_forget_bias:
            return plain
        units = self.units

        def initial(shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
            del shape, partition_info
            part = plain([units], dtype=dtype)
            return concat([part, ones_like(part), plain([2 * units], dtype=dtype)], 0)

        return initial

    def step(self, inputs: Any, states: list[Any], masks: Sequence[Any]) -> list[Any]:
        """The output and the memory after a step."""
        new, before = self.sums(inputs, states[0], masks)
        sums = split(new + matmul(before, self.recurrent_kernel), 4, 1)
        let_in, kept, let_out = [self.recurrent_activation(sums[place]) for place in (0, 1, 3)]
        memory = kept * states[1] + let_in * self.activation(sums[2])
        return [let_out * self.activation(memory), memory]


class GRU(Recurrent):
    """Gated recurrent units.

    Args:
        units: the size of the output.
        activation: of what is new.
        recurrent_activation: of the gates; by default "hard_sigmoid", as in TensorFlow 1.x.
        settings: as for `SimpleRNN`; `reset_after` must be False.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.keras.layers.GRU(4)(td.ones([2, 5, 3])).shape.as_list()
        [2, 4]
    """

    gates = 3

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        **settings: Any,
    ) -> None:
        if settings.pop("reset_after", False):
            raise ValueError("reset_after is not supported: it must be False, as in TensorFlow 1.x")
        super().__init__(units, activation, **settings)
        self.recurrent_activation = meant("recurrent_activation", recurrent_activation) or linear

    def step(self, inputs: Any, states: list[Any], masks: Sequence[Any]) -> list[Any]:
        """The output after a step."""
        new, before = self.sums(inputs, states[0], masks)
        edge = 2 * self.units
        gates = new[:, :edge] + matmul(before, self.recurrent_kernel[:, :edge])
        kept, reset = split(self.recurrent_activation(gates), 2, 1)
        fresh = new[:, edge:] + matmul(reset * before, self.recurrent_kernel[:, edge:])
        return [kept * states[0] + (1.0 - kept) * self.activation(fresh)]


class CuDNNLSTM(LSTM):
    """`LSTM` with the gates of GPUs, "sigmoid", on the CPU.

    Args:
        units: the size of the output.
        settings: as for `LSTM`.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.keras.layers.CuDNNLSTM(4)(td.ones([2, 5, 3])).shape.as_list()
        [2, 4]
    """

    def __init__(self, units: int, **settings: Any) -> None:
        super().__init__(units, recurrent_activation="sigmoid", **settings)
