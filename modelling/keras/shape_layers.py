"""Layers that change the shape of each example."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from ...ops.array.padding import pad, tile
from ...ops.array.reshaping import reshape
from ...ops.array.shapes import shape
from ...ops.array.squeezing import expand_dims
from ...ops.array.stacking import stack
from ...ops.array.transposing import transpose
from .keras_style import FunctionLayer, KerasStyle

if TYPE_CHECKING:
    from collections.abc import Sequence

public = {
    "td.keras.layers": (
        "Cropping1D Cropping2D Permute RepeatVector Reshape UpSampling1D UpSampling2D "
        "UpSampling3D ZeroPadding1D ZeroPadding2D"
    )
}


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


class RepeatVector(FunctionLayer):
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


class ZeroPadding2D(FunctionLayer):
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


class ZeroPadding1D(FunctionLayer):
    """Puts zeros before and behind sequences.

    Args:
        padding: how many, or a pair for before and behind.
        kwargs: further arguments of a layer.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.keras.layers.ZeroPadding1D((2, 0))(td.ones([1, 4, 3])).shape.as_list()
        [1, 6, 3]
    """

    def __init__(self, padding: Any = 1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        both = (padding, padding) if isinstance(padding, int) else tuple(padding)
        self.function = lambda inputs: pad(inputs, [(0, 0), both, (0, 0)])


class Cropping2D(FunctionLayer):
    """Cuts the edges of images off.

    Args:
        cropping: a number, a pair for height and width, or two pairs.
        data_format: "channels_last" or "channels_first".
        kwargs: further arguments of a layer.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.keras.layers.Cropping2D(((1, 0), (2, 2)))(td.ones([1, 8, 8, 3])).shape.as_list()
        [1, 7, 4, 3]
    """

    def __init__(
        self, cropping: Any = ((0, 0), (0, 0)), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        both = (cropping, cropping) if isinstance(cropping, int) else tuple(cropping)
        (top, bottom), (left, right) = [
            (item, item) if isinstance(item, int) else tuple(item) for item in both
        ]
        first = 2 if data_format == "channels_first" else 1
        rows = slice(top, -bottom if bottom else None)
        columns = slice(left, -right if right else None)
        self.function = lambda inputs: inputs[(*[slice(None)] * first, rows, columns)]


class Cropping1D(FunctionLayer):
    """Cuts the ends of sequences off.

    Args:
        cropping: how many steps, or a pair for the beginning and the end.
        kwargs: further arguments of a layer.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.keras.layers.Cropping1D((2, 0))(td.ones([1, 8, 3])).shape.as_list()
        [1, 6, 3]
    """

    def __init__(self, cropping: Any = (1, 1), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        begin, end = (cropping, cropping) if isinstance(cropping, int) else tuple(cropping)
        self.function = lambda inputs: inputs[:, begin : -end if end else None]


class UpSampling1D(FunctionLayer):
    """Puts each step of sequences several times in a row.

    Args:
        size: how many times.
        kwargs: further arguments of a layer.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.keras.layers.UpSampling1D(3)(td.ones([1, 4, 3])).shape.as_list()
        [1, 12, 3]
    """

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function = lambda inputs: _repeated(inputs, 1, int(size))


class UpSampling2D(FunctionLayer):
    """Puts each row and column of images several times in a row.

    Args:
        size: how many times, or a pair for rows and columns.
        data_format: "channels_last".
        interpolation: "nearest".
        kwargs: further arguments of a layer.

    Raises:
        ValueError: the format or the interpolation is another one.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.keras.layers.UpSampling2D((2, 3))(td.ones([1, 4, 4, 3])).shape.as_list()
        [1, 8, 12, 3]
    """

    def __init__(
        self,
        size: Any = 2,
        data_format: str | None = None,
        interpolation: str = "nearest",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if data_format not in (None, "channels_last") or interpolation != "nearest":
            raise ValueError(
                "data_format must be 'channels_last' and interpolation 'nearest', got "
                f"{data_format!r} and {interpolation!r}: td.image.resize_images has others"
            )
        rows, columns = (size, size) if isinstance(size, int) else tuple(size)
        self.function = lambda inputs: _repeated(_repeated(inputs, 1, rows), 2, columns)


class UpSampling3D(FunctionLayer):
    """Puts each slice of volumes several times in a row, along all their dimensions.

    Args:
        size: how many times, or three numbers.
        data_format: "channels_last".
        kwargs: further arguments of a layer.

    Raises:
        ValueError: the format is another one.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.keras.layers.UpSampling3D()(td.ones([1, 2, 3, 4, 5])).shape.as_list()
        [1, 4, 6, 8, 5]
    """

    def __init__(self, size: Any = 2, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if data_format not in (None, "channels_last"):
            raise ValueError(f"data_format must be 'channels_last', got {data_format!r}")
        times = (size,) * 3 if isinstance(size, int) else tuple(size)
        self.function = lambda inputs: reduce(
            lambda made, one: _repeated(made, *one), enumerate(times, 1), inputs
        )


def _repeated(inputs: Any, axis: int, times: int) -> Any:
    """Each slice along a dimension several times in a row."""
    sizes = inputs.shape.as_list()
    rank = inputs.shape.rank
    wide = tile(expand_dims(inputs, axis + 1), [1] * (axis + 1) + [times] + [1] * (rank - axis - 1))
    taken = shape(inputs)
    new = [taken[place] if size is None else size for place, size in enumerate(sizes)]
    new[axis] = new[axis] * times
    return reshape(wide, stack(new))
