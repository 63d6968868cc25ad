"""Layers without a kernel: activations, shapes, what is dropped, normalized or looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...ops.array.casting import cast
from ...ops.array.constants import placeholder
from ...ops.array.padding import pad, tile
from ...ops.array.reshaping import reshape
from ...ops.array.shapes import shape
from ...ops.array.squeezing import expand_dims
from ...ops.array.stacking import stack
from ...ops.array.transposing import transpose
from ...ops.math.arithmetic import maximum, minimum, multiply
from ...ops.math.reductions import reduce_max, reduce_mean
from ...ops.nn.activations import elu, leaky_relu, relu, softmax
from ...ops.nn.embeddings import embedding_lookup
from ..layers.batch_normalization import BatchNormalization as _BatchNormalization
from ..layers.core import Dropout as _Dropout, Flatten as _Flatten
from .keras_style import KerasStyle
from .named_functions import meant

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

public = {
    "td.keras": "Input",
    "td.keras.layers": (
        "Activation BatchNormalization Dropout ELU Embedding Flatten GlobalAveragePooling1D "
        "GlobalAveragePooling2D GlobalMaxPooling1D GlobalMaxPooling2D Input InputLayer=Input "
        "Lambda LeakyReLU Permute ReLU RepeatVector Reshape Softmax ZeroPadding2D"
    ),
}


def Input(  # noqa: N802 - Keras's name
    shape: Sequence[int | None] | None = None,
    batch_size: int | None = None,
    name: str | None = None,
    dtype: Any = "float32",
) -> Any:
    """A placeholder of batches.

    Args:
        shape: the shape of one example.
        batch_size: how many examples there are; by default it is open.
        name: a name for the op.
        dtype: the dtype.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.keras.layers.Input([3]).shape.as_list()
        [None, 3]
    """
    return placeholder(dtype, [batch_size, *(shape or ())], name=name or "input")


class Dropout(KerasStyle, _Dropout):
    """In training, sets random elements to 0: `td.layers.Dropout`.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.layers.Dropout(0.5)(td.ones([3]))))
        [1. 1. 1.]
    """


class Flatten(KerasStyle, _Flatten):
    """Puts all dimensions but the first together into one: `td.layers.Flatten`.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.keras.layers.Flatten()(td.ones([2, 3, 4])).shape.as_list()
        [2, 12]
    """


class BatchNormalization(KerasStyle, _BatchNormalization):
    """Normalizes batches: `td.layers.BatchNormalization`; the updates are `layer.updates` alone.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.BatchNormalization()
        ...     y = layer(td.ones([2, 3]), training=True)
        ...     [v.op.name for v in layer.trainable_weights], len(layer.updates)
        (['batch_normalization/gamma', 'batch_normalization/beta'], 2)
    """


class _Of(KerasStyle):
    """A layer that is one function of its input."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.function: Callable[[Any], Any] = lambda inputs: inputs

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The function of the input."""
        del args, kwargs
        return self.function(inputs)


class Activation(_Of):
    """Applies an activation.

    Args:
        activation: a function, or the word for it.
        kwargs: further arguments of a layer.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.layers.Activation("relu")(td.constant([-1.0, 2.0]))))
        [0. 2.]
    """

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        found = meant("activation", activation)
        if found is not None:
            self.function = found


class Lambda(KerasStyle):
    """Applies a function.

    Args:
        function: the function.
        arguments: further arguments by name.
        kwargs: further arguments of a layer.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.keras.layers.Lambda(lambda x: x * 2)(td.constant(3)))
        np.int32(6)
    """

    def __init__(self, function: Callable[..., Any], arguments: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function = function
        self.arguments = dict(arguments or {})

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The function of the input."""
        return self.function(inputs, *args, **self.arguments, **kwargs)


class ReLU(_Of):
    """`max(x, 0)`, below a limit and with a slope.

    Args:
        max_value: the limit; None for none.
        negative_slope: the slope below `threshold`.
        threshold: below it, `x - threshold` is multiplied by the slope.
        kwargs: further arguments of a layer.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.layers.ReLU(6.0)(td.constant([-1.0, 9.0]))))
        [0. 6.]
    """

    def __init__(
        self,
        max_value: float | None = None,
        negative_slope: float = 0.0,
        threshold: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.limits = max_value, negative_slope, threshold

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """What is above, and the slope of what is below."""
        del args, kwargs
        limit, slope, threshold = self.limits
        if threshold:
            above = multiply(inputs, cast(inputs > threshold, inputs.dtype))
        else:
            above = relu(inputs)
        if limit is not None:
            above = minimum(above, limit)
        return above + slope * minimum(inputs - threshold, 0.0) if slope else above


class LeakyReLU(_Of):
    """`x` where it is positive, else `alpha * x`.

    Args:
        alpha: the slope.
        kwargs: further arguments of a layer.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.layers.LeakyReLU()(td.constant([-1.0, 9.0]))))
        [-0.3  9. ]
    """

    def __init__(self, alpha: float = 0.3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function = lambda inputs: leaky_relu(inputs, alpha)


class ELU(_Of):
    """`x` where it is positive, else `alpha * (exp(x) - 1)`.

    Args:
        alpha: the factor.
        kwargs: further arguments of a layer.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.layers.ELU()(td.constant([-1.0, 9.0]))).round(3))
        [-0.632  9.   ]
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function = lambda inputs: maximum(inputs, 0.0) + alpha * elu(minimum(inputs, 0.0))


class Softmax(_Of):
    """Positive numbers that add up to 1 along a dimension.

    Args:
        axis: the dimension.
        kwargs: further arguments of a layer.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.keras.layers.Softmax()(td.constant([[1.0, 1.0]]))))
        [[0.5 0.5]]
    """

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function = lambda inputs: softmax(inputs, axis)


class Reshape(KerasStyle):
    """Gives each example another shape.

    Args:
        target_shape: the shape of an example; -1 for one size that follows.
        kwargs: further arguments of a layer.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.keras.layers.Reshape([2, -1])(td.ones([5, 6])).shape.as_list()
        [5, 2, 3]
    """

    def __init__(self, target_shape: Sequence[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The input in the other shape."""
        del args, kwargs
        sizes = list(self.target_shape)
        whole = inputs.shape[1:].num_elements()
        if -1 in sizes and whole is not None:
            rest = 1
            for size in sizes:
                rest *= size if size != -1 else 1
            sizes[sizes.index(-1)] = whole // rest
        rows = inputs.shape.as_list()[0]
        return reshape(inputs, stack([shape(inputs)[0] if rows is None else rows, *sizes]))


class Permute(KerasStyle):
    """Puts the dimensions of each example in another order.

    Args:
        dims: which dimension comes where, counted from 1.
        kwargs: further arguments of a layer.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.keras.layers.Permute((2, 1))(td.ones([5, 6, 7])).shape.as_list()
        [5, 7, 6]
    """

    def __init__(self, dims: Sequence[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if sorted(dims) != [*range(1, len(dims) + 1)]:
            raise ValueError(f"dims must be an order of 1..{len(dims)}, got {tuple(dims)}")
        self.dims = tuple(dims)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The input with its dimensions in that order."""
        del args, kwargs
        return transpose(inputs, [0, *self.dims])


class RepeatVector(_Of):
    """Puts each example `n` times in a row.

    Args:
        n: how many times.
        kwargs: further arguments of a layer.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.keras.layers.RepeatVector(3)(td.ones([5, 6])).shape.as_list()
        [5, 3, 6]
    """

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function = lambda inputs: tile(expand_dims(inputs, 1), [1, n, 1])


class ZeroPadding2D(_Of):
    """Puts zeros around images.

    Args:
        padding: a number, a pair for height and width, or two pairs.
        data_format: "channels_last".
        kwargs: further arguments of a layer.

    Raises:
        ValueError: the format is another one.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.ZeroPadding2D(((1, 0), (2, 2)))
        ...     layer(td.ones([1, 4, 4, 3])).shape.as_list()
        [1, 5, 8, 3]
    """

    def __init__(self, padding: Any = 1, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if data_format not in (None, "channels_last"):
            raise ValueError(f"data_format must be 'channels_last', got {data_format!r}")
        both = (padding, padding) if isinstance(padding, int) else tuple(padding)
        rows, columns = [(item, item) if isinstance(item, int) else item for item in both]
        self.function = lambda inputs: pad(inputs, [(0, 0), rows, columns, (0, 0)])


class Embedding(KerasStyle):
    """Looks rows up: each number becomes a row of a variable.

    Args:
        input_dim: how many rows there are.
        output_dim: the size of a row.
        embeddings_initializer: makes the variable; by default uniform in [-0.05, 0.05].
        kwargs: further arguments of a layer.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.Embedding(100, 8)
        ...     layer(td.constant([[1, 2, 3]])).shape.as_list(), layer.weights[0].op.name
        ([1, 3, 8], 'embedding/embeddings')
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        **kwargs: Any,
    ) -> None:
        kwargs.setdefault("dtype", "float32")
        super().__init__(**kwargs)
        self.input_dim = input_dim
        self.output_dim = output_dim
        self.initializer = meant("embeddings_initializer", embeddings_initializer)
        self.embeddings: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the rows."""
        self.embeddings = self.add_variable(
            "embeddings", [self.input_dim, self.output_dim], initializer=self.initializer
        )
        super().build(input_shape)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The rows."""
        del args, kwargs
        whole = inputs if inputs.dtype.is_integer else cast(inputs, "int32")
        return embedding_lookup(self.embeddings, whole)


class GlobalAveragePooling1D(_Of):
    """The mean of each channel of sequences.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.keras.layers.GlobalAveragePooling1D()(td.ones([2, 5, 3])).shape.as_list()
        [2, 3]
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function = lambda inputs: reduce_mean(inputs, axis=1)


class GlobalMaxPooling1D(_Of):
    """The greatest of each channel of sequences.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.keras.layers.GlobalMaxPooling1D()(td.ones([2, 5, 3])).shape.as_list()
        [2, 3]
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function = lambda inputs: reduce_max(inputs, axis=1)


def _plane(data_format: str | None) -> list[int]:
    """The dimensions of space of images."""
    return [2, 3] if data_format == "channels_first" else [1, 2]


class GlobalAveragePooling2D(_Of):
    """The mean of each channel of images.

    Args:
        data_format: "channels_last" or "channels_first".
        kwargs: further arguments of a layer.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.keras.layers.GlobalAveragePooling2D()(td.ones([2, 5, 5, 3])).shape.as_list()
        [2, 3]
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function = lambda inputs: reduce_mean(inputs, axis=_plane(data_format))


class GlobalMaxPooling2D(_Of):
    """The greatest of each channel of images.

    Args:
        data_format: "channels_last" or "channels_first".
        kwargs: further arguments of a layer.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.keras.layers.GlobalMaxPooling2D()(td.ones([2, 5, 5, 3])).shape.as_list()
        [2, 3]
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function = lambda inputs: reduce_max(inputs, axis=_plane(data_format))
