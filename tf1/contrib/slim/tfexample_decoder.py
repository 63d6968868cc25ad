"""Examples taken apart, item by item: `td.contrib.slim.tfexample_decoder`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....graph.sparse_tensor import SparseTensor as SparseValue
from ....ops.array.cast import cast
from ....ops.array.concat import concat
from ....ops.array.reshape import expand_dims, reshape
from ....ops.array.shapes import size
from ....ops.array.stack import stack
from ....ops.array.transpose import transpose
from ....ops.control_flow.cond_and_case import cond
from ....ops.control_flow.map_and_fold import map_fn
from ....ops.image_files.decode_image import decode_image
from ....ops.math.comparison import equal
from ....ops.math.logical import logical_or
from ....ops.parsing.decoding import decode_raw
from ....ops.parsing.features import FixedLenFeature
from ....ops.parsing.parse_example import parse_single_example
from ....ops.sparse.sparse_joining import sparse_reshape
from ....ops.sparse.sparse_to_dense import sparse_tensor_to_dense
from ....protos.dtypes import as_dtype

public = {
    "td.contrib.slim.data_decoder": "DataDecoder",
    "td.contrib.slim.tfexample_decoder": (
        "BackupHandler BoundingBox Image ItemHandler ItemHandlerCallback LookupTensor "
        "SparseTensor TFExampleDecoder Tensor"
    ),
}


class DataDecoder:
    """Base class of decoders that split data into items, such as `TFExampleDecoder`.

    Example:
        >>> decoders = td.contrib.slim.tfexample_decoder
        >>> issubclass(decoders.TFExampleDecoder, td.contrib.slim.data_decoder.DataDecoder)
        True
    """

    def decode(self, data: Any, items: Sequence[str]) -> list[Any]:
        """The items of `data`."""
        raise NotImplementedError

    def list_items(self) -> list[str]:
        """The names of all items."""
        raise NotImplementedError


class ItemHandler:
    """Base class of handlers that make an item from features of an example.

    Args:
        keys: the names of the features.

    Example:
        >>> td.contrib.slim.tfexample_decoder.Tensor("image/class/label").keys
        ['image/class/label']
    """

    def __init__(self, keys: str | Sequence[str]) -> None:
        self._keys = [keys] if isinstance(keys, str) else list(keys)

    @property
    def keys(self) -> list[str]:
        """The names of the features."""
        return self._keys

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """The item, of the features by name."""
        raise NotImplementedError


class ItemHandlerCallback(ItemHandler):
    """An item made by a function.

    Args:
        keys: the names of the features.
        func: gets a dict of the features by name.

    Example:
        >>> handler = td.contrib.slim.tfexample_decoder.ItemHandlerCallback("a", lambda x: x["a"])
        >>> handler.tensors_to_item({"a": 3})
        3
    """

    def __init__(self, keys: str | Sequence[str], func: Callable[[Mapping[str, Any]], Any]) -> None:
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """Applies the function to the features."""
        return self._func(keys_to_tensors)


class Tensor(ItemHandler):
    """A feature as it is, or in another shape.

    Args:
        tensor_key: the name of the feature.
        shape_keys: names of features that hold its sizes.
        shape: its shape.
        default_value: fills the gaps of sparse features.

    Example:
        >>> handler = td.contrib.slim.tfexample_decoder.Tensor("a", shape=[2, 1])
        >>> with td.Graph().as_default():
        ...     handler.tensors_to_item({"a": td.constant([1, 2])}).shape
        TensorShape([Dimension(2), Dimension(1)])
    """

    def __init__(
        self,
        tensor_key: str,
        shape_keys: str | Sequence[str] | None = None,
        shape: Any = None,
        default_value: Any = 0,
    ) -> None:
        if shape_keys and shape is not None:
            raise ValueError("shape_keys and shape cannot both be given")
        sizes = [shape_keys] if isinstance(shape_keys, str) else list(shape_keys or ())
        super().__init__([tensor_key, *sizes])
        self._tensor_key, self._shape_keys = tensor_key, sizes
        self._shape, self._default_value = shape, default_value

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """The feature."""
        tensor, shape = keys_to_tensors[self._tensor_key], self._shape
        if self._shape_keys:
            sizes = [keys_to_tensors[key] for key in self._shape_keys]
            dense = [sparse_tensor_to_dense(s) if isinstance(s, SparseValue) else s for s in sizes]
            shape = reshape(stack(dense), [-1])
        if isinstance(tensor, SparseValue):
            if shape is not None:
                tensor = sparse_reshape(tensor, shape)
            empty = b"" if tensor.dtype == as_dtype("string") else 0
            given = self._default_value
            return sparse_tensor_to_dense(tensor, given or empty)
        return tensor if shape is None else reshape(tensor, shape)


class LookupTensor(Tensor):
    """A feature looked up in a table.

    Args:
        tensor_key: the name of the feature.
        table: the table.
        shape_keys: names of features that hold its sizes.
        shape: its shape.
        default_value: fills the gaps of sparse features.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     table = td.contrib.lookup.index_table_from_tensor(["a", "b"])
        ...     handler = td.contrib.slim.tfexample_decoder.LookupTensor("x", table)
        ...     y = handler.tensors_to_item({"x": td.constant(["b", "a"])})
        ...     session.run(td.tables_initializer())
        ...     session.run(y)
        array([1, 0])
    """

    def __init__(
        self,
        tensor_key: str,
        table: Any,
        shape_keys: str | Sequence[str] | None = None,
        shape: Any = None,
        default_value: Any = "",
    ) -> None:
        super().__init__(tensor_key, shape_keys, shape, default_value)
        self._table = table

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """The values of the table."""
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class SparseTensor(ItemHandler):
    """A sparse tensor of two features: its indices and its values.

    Args:
        indices_key: the name of the feature with the indices.
        values_key: the name of the feature with the values.
        shape_key: the name of the feature with the shape.
        shape: the shape.
        densify: whether to make it dense.
        default_value: fills the gaps of sparse features.

    Example:
        >>> handler = td.contrib.slim.tfexample_decoder.SparseTensor(
        ...     "i", "v", shape=[3], densify=True
        ... )
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     found = handler.tensors_to_item({"i": td.constant([1]), "v": td.constant([5])})
        ...     session.run(found)
        array([0, 5, 0], dtype=int32)
    """

    def __init__(
        self,
        indices_key: str | None = None,
        values_key: str | None = None,
        shape_key: str | None = None,
        shape: Any = None,
        densify: bool = False,
        default_value: Any = 0,
    ) -> None:
        keys = [indices_key or "indices", values_key or "values"]
        super().__init__(keys + ([shape_key] if shape_key else []))
        self._shape_key, self._shape = shape_key, shape
        self._densify, self._default_value = densify, default_value

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """The sparse tensor, or a dense one."""
        parts = [keys_to_tensors[key] for key in self._keys]
        values = [part.values if isinstance(part, SparseValue) else part for part in parts]
        indices = expand_dims(values[0], 1)
        sizes = self._shape if self._shape is not None else values[-1]
        found = SparseValue(_int64(indices), values[1], _int64(sizes))
        return sparse_tensor_to_dense(found, self._default_value) if self._densify else found


class BoundingBox(ItemHandler):
    """Boxes of four features, one for each edge.

    Args:
        keys: the names of the features, in the order in which the box has them.
        prefix: the prefix of their names.

    Raises:
        ValueError: there are not four.

    Example:
        >>> td.contrib.slim.tfexample_decoder.BoundingBox(prefix="box/").keys
        ['box/ymin', 'box/xmin', 'box/ymax', 'box/xmax']
    """

    def __init__(self, keys: Sequence[str] | None = None, prefix: str = "") -> None:
        names = ["ymin", "xmin", "ymax", "xmax"] if keys is None else list(keys)
        if len(names) != 4:
            raise ValueError(f"keys = {names} are not four")
        super().__init__([prefix + name for name in names])

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """The boxes, `[number, 4]`."""
        sides = [keys_to_tensors[key] for key in self._keys]
        rows = [
            expand_dims(side.values, 0) if isinstance(side, SparseValue) else expand_dims(side, 0)
            for side in sides
        ]
        return transpose(concat(rows, 0))


class Image(ItemHandler):
    """An image, decoded.

    Args:
        image_key: the name of the feature with the bytes; by default image/encoded.
        format_key: the name of the feature with the format; by default image/format. Where it is
            `raw`, the bytes are the pixels; otherwise the format is detected.
        shape: the shape of the image, if it is known.
        channels: the number of channels of the result.
        dtype: the dtype of its pixels.
        repeated: whether the feature holds several images, of one size.
        dct_method: taken for compatibility.

    Example:
        >>> td.contrib.slim.tfexample_decoder.Image().keys
        ['image/encoded', 'image/format']
    """

    def __init__(
        self,
        image_key: str | None = None,
        format_key: str | None = None,
        shape: Any = None,
        channels: int = 3,
        dtype: Any = "uint8",
        repeated: bool = False,
        dct_method: str = "",
    ) -> None:
        super().__init__([image_key or "image/encoded", format_key or "image/format"])
        self._shape, self._channels = shape, channels
        self._dtype, self._repeated = as_dtype(dtype), repeated

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """The image."""
        contents, kind = (keys_to_tensors[key] for key in self._keys)
        if self._repeated:
            return map_fn(lambda one: self._decoded(one, kind), contents, dtype=self._dtype)
        return self._decoded(contents, kind)

    def _decoded(self, contents: Any, kind: Any) -> Any:
        raw = logical_or(equal(kind, "raw"), equal(kind, "RAW"))
        flat = [1, -1, self._channels]  # one line of pixels, unless a shape is specified
        image = cond(
            raw,
            lambda: reshape(decode_raw(reshape(contents, []), self._dtype), self._shape or flat),
            lambda: decode_image(reshape(contents, []), self._channels, self._dtype),
        )
        image.set_shape([None, None, self._channels])
        return image if self._shape is None else reshape(image, self._shape)


class BackupHandler(ItemHandler):
    """An item of one handler, or of another one where the first finds nothing.

    Args:
        handler: the first.
        backup: the other one.

    Example:
        >>> decoders = td.contrib.slim.tfexample_decoder
        >>> decoders.BackupHandler(decoders.Tensor("a"), decoders.Tensor("b")).keys
        ['a', 'b']
    """

    def __init__(self, handler: ItemHandler, backup: ItemHandler) -> None:
        super().__init__([*handler.keys, *backup.keys])
        self._handler, self._backup = handler, backup

    def tensors_to_item(self, keys_to_tensors: Mapping[str, Any]) -> Any:
        """The item of the first handler, if it has elements."""
        item = self._handler.tensors_to_item(keys_to_tensors)
        other = self._backup.tensors_to_item(keys_to_tensors)
        return cond(equal(_number(item), 0), lambda: other, lambda: item)


class TFExampleDecoder(DataDecoder):
    """Takes serialized examples apart.

    Args:
        keys_to_features: FixedLenFeature and similar, by the names of features.
        items_to_handlers: handlers by the names of items.

    Example:
        >>> decoders = td.contrib.slim.tfexample_decoder
        >>> decoder = decoders.TFExampleDecoder(
        ...     {"n": td.FixedLenFeature([], td.int64)}, {"number": decoders.Tensor("n")}
        ... )
        >>> feature = td.train.Feature(int64_list=td.train.Int64List(value=[3]))
        >>> example = td.train.Example(features=td.train.Features(feature={"n": feature}))
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     (n,) = decoder.decode(td.constant(example.SerializeToString()))
        ...     session.run(n)
        np.int64(3)
    """

    def __init__(
        self, keys_to_features: Mapping[str, Any], items_to_handlers: Mapping[str, ItemHandler]
    ) -> None:
        self._features, self._handlers = keys_to_features, items_to_handlers

    def list_items(self) -> list[str]:
        """The names of all items."""
        return list(self._handlers)

    def decode(self, serialized_example: Any, items: Sequence[str] | None = None) -> list[Any]:
        """The items of an example; by default all.

        Raises:
            KeyError: there is no such item, or its handler needs a feature that is not stated.
        """
        found = parse_single_example(serialized_example, self._features)
        for key, feature in self._features.items():
            if isinstance(feature, FixedLenFeature):
                found[key] = reshape(found[key], feature.shape)
        decoded = []
        for item in self._handlers if items is None else items:
            handler = self._handlers[item]
            decoded.append(handler.tensors_to_item({key: found[key] for key in handler.keys}))
        return decoded


def _int64(value: Any) -> Any:
    return cast(value, "int64")


def _number(item: Any) -> Any:
    return size(item.values if isinstance(item, SparseValue) else item)
