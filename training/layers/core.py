"""Layers on the last dimension: dense, dropout, flatten."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...ops.array.identity import identity
from ...ops.array.reshape import expand_dims, reshape
from ...ops.array.shapes import shape
from ...ops.array.stack import stack
from ...ops.array.transpose import transpose
from ...ops.linalg.matmul import matmul
from ...ops.linalg.tensordot import tensordot
from ...ops.math.comparison import not_equal
from ...ops.math.where import where_v2
from ...ops.nn import dropout as nn
from ...ops.nn.activations import bias_add
from ...protos.dtypes import string
from ...shape_inference.tensor_shape import as_shape
from .input_spec import InputSpec
from .kernel_layer import ZEROS, KernelLayer, arguments_of
from .layer import Layer
from .layer_functions import apply_layer, described, layer_function
from .spatial_arguments import wire_format

public = {"td.layers": "Dense Dropout Flatten dense dropout flatten"}


@described
class Dense(KernelLayer):
    """`activation(inputs @ kernel + bias)`, along the last dimension.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.layers.Dense(3, activation=td.nn.relu)
        ...     y, z = layer(td.ones([2, 4])), layer(td.zeros([5, 4]))
        ...     [v.name for v in layer.variables], y.shape.as_list(), z.shape.as_list()
        (['dense/kernel:0', 'dense/bias:0'], [2, 3], [5, 3])
    """

    def __init__(
        self,
        units: int,
        activation: Callable[[Any], Any] | str | None = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(**arguments_of(locals(), "units"))
        if not hasattr(units, "__index__") and not hasattr(units, "__int__"):
            raise TypeError(f"units must be an int, got {units!r}")
        self.units = int(units)
        if self.units < 0:
            raise ValueError(f"units must be at least 0, got {units}")
        self.input_spec = InputSpec(min_ndim=2)

    def build(self, input_shape: Any) -> None:
        """Makes kernel and bias.

        Raises:
            ValueError: the last dimension of the input is unknown.
        """
        size = as_shape(input_shape).as_list()[-1]
        if size is None:
            raise ValueError(f"the last size of the input must be known, got shape {input_shape}")
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})
        self.add_kernel([size, self.units])
        self.add_bias(self.units)
        super().build(input_shape)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The output, of the rank of the input."""
        rank = inputs.shape.rank
        if rank == 2:
            result = matmul(inputs, self.kernel)
        else:
            result = tensordot(inputs, self.kernel, [[rank - 1], [0]])
        if self.use_bias:
            result = bias_add(result, self.bias)
        return result if self.activation is None else self.activation(result)


@described
class Dropout(Layer):
    """In training, sets random elements to 0 and scales the others up; otherwise does nothing.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.layers.Dropout(0.5)(td.ones([3]))))
        [1. 1. 1.]
    """

    def __init__(
        self,
        rate: float = 0.5,
        noise_shape: Any = None,
        seed: int | None = None,
        name: str | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(name=name, **settings)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed

    def call(self, inputs: Any, *args: Any, training: Any = False, **kwargs: Any) -> Any:
        """The output; `training` is a bool, or a tensor of one."""
        training = scalar_setting(args[0] if args else training)
        del kwargs
        if not is_tensor(training):
            if not training:
                return identity(inputs)
            return nn.dropout(inputs, 1 - self.rate, self._noise_shape(inputs), self.seed)
        keep = where_v2(training, 1 - self.rate, 1.0)
        return nn.dropout(inputs, keep, self._noise_shape(inputs), self.seed)

    def _noise_shape(self, inputs: Tensor) -> Any:
        """The shape of the noise, with the sizes of the input where it has None."""
        given = self.noise_shape
        if not isinstance(given, (list, tuple)) or None not in given:
            return given
        sizes = shape(inputs)
        return stack([sizes[i] if size is None else size for i, size in enumerate(given)])


@described
class Flatten(Layer):
    """Puts all dimensions but the first together into one.

    Example:
        >>> with td.Graph().as_default():
        ...     td.layers.Flatten()(td.ones([2, 3, 4])).shape.as_list()
        [2, 12]
    """

    def __init__(self, data_format: str = "channels_last", **settings: Any) -> None:
        super().__init__(**settings)
        self.data_format = data_format
        wire_format(data_format, 2)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The output, of rank 2."""
        rank = inputs.shape.rank
        if rank is None:
            return reshape(inputs, stack([shape(inputs)[0], -1]))
        if rank == 1:
            return expand_dims(inputs, 1)
        if self.data_format == "channels_first" and rank > 2:
            inputs = transpose(inputs, [0, *range(2, rank), 1])
        rows = inputs.shape.as_list()[0]
        first = shape(inputs)[0] if rows is None else rows
        rest = inputs.shape[1:].num_elements()
        # One of the sizes has to be a number where the other is to be found.
        sizes = stack([first, -1]) if rest is None or rows is not None else [-1, rest]
        return reshape(inputs, sizes)


def is_tensor(value: Any) -> bool:
    """Returns True if a setting such as `training` is a tensor, known only at run time."""
    return isinstance(value, Tensor) or hasattr(value, "value")


def scalar_setting(value: Any) -> Any:
    """A setting such as `training`; its tensor gets rank 0 even without a static shape.

    What is chosen by it keeps its shape, as it does in a condition.
    """
    if isinstance(value, (str, bytes)):
        raise TypeError(f"training must be a bool, 0 or 1, or a bool tensor, got {value!r}")
    if not is_tensor(value):
        return value
    tensor = convert_to_tensor(value)
    if tensor.dtype.base_dtype is string:
        tensor = not_equal(tensor, "")  # as conditions take it
    return reshape(tensor, []) if tensor.shape.rank is None else tensor


dense = layer_function(
    Dense,
    "dense",
    """`activation(inputs @ kernel + bias)`, along the last dimension: see `td.layers.Dense`.

    Args:
        inputs: a tensor of floats, of rank 2 or more.

    Returns:
        A Tensor.

    Raises:
        ValueError: the rank is less than 2, or the last dimension is unknown.

    Example:
        >>> with td.Graph().as_default():
        ...     hidden = td.layers.dense(td.ones([2, 4]), 3, activation=td.nn.relu)
        ...     again = td.layers.dense(hidden, 1)
        ...     hidden.shape.as_list(), [v.op.name for v in td.trainable_variables()][2:]
        ([2, 3], ['dense_1/kernel', 'dense_1/bias'])
    """,
)


@described
def dropout(
    inputs: Any,
    rate: float = 0.5,
    noise_shape: Any = None,
    seed: int | None = None,
    training: Any = False,
    name: str | None = None,
) -> Any:
    """In training, sets random elements to 0 and scales the others up; otherwise does nothing.

    Args:
        inputs: a tensor of floats.

    Returns:
        A Tensor of the shape of `inputs`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     training = td.placeholder_with_default(False, [])
        ...     y = td.layers.dropout(td.ones([1000]), 0.5, training=training)
        ...     session.run(y).mean(), sorted({*session.run(y, {training: True}).tolist()})
        (np.float32(1.0), [0.0, 2.0])
    """
    return apply_layer(Dropout, **locals())


@described
def flatten(inputs: Any, name: str | None = None, data_format: str = "channels_last") -> Any:
    """Puts all dimensions but the first together into one.

    Args:
        inputs: a tensor of rank 1 or more; vectors become columns.
        data_format: "channels_first" puts dimension 1 last before, as models have it whose
            pictures are turned.

    Returns:
        A Tensor of rank 2.

    Example:
        >>> with td.Graph().as_default():
        ...     td.layers.flatten(td.placeholder(td.float32, [None, 3, 4])).shape.as_list()
        [None, 12]
    """
    return Flatten(data_format, name=name)(inputs)
