"""Tables as programs use them: made with what they hold, looked up, changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph.convert import convert_to_tensor
from ...graph.default_graph import get_default_graph
from ...graph.default_scopes import name_scope
from ...graph.scopes.collections import GraphKeys
from ...graph.sparse_tensor import SparseTensor
from ...protos.dtypes import as_dtype
from ...shape_inference.tensor_shape import TensorShape
from ..effects.ordering import group
from .table_ops import (
    EXPORT,
    FIND,
    HASH_TABLE,
    INSERT,
    MUTABLE_DENSE_HASH_TABLE,
    MUTABLE_HASH_TABLE,
    MUTABLE_HASH_TABLE_OF_TENSORS,
    REMOVE,
    SIZE,
)

if TYPE_CHECKING:
    from ...graph.node import Operation, Tensor
    from ...protos.dtypes import DType
    from .table_contents import TableInitializer

public = {
    "td": "initialize_all_tables tables_initializer",
    "td.lookup": "StaticHashTable=HashTable",
    "td.contrib.lookup": (
        "HashTable LookupInterface MutableDenseHashTable MutableHashTable StaticHashTable=HashTable"
    ),
}


class LookupInterface:
    """A table: what all kinds of them can do.

    Args:
        key_dtype: the dtype of the keys.
        value_dtype: the dtype of the values.
        name: the name of the table.
    """

    def __init__(self, key_dtype: Any, value_dtype: Any, name: str) -> None:
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)
        self._name = name
        self._handle: Any = None
        self._default: Any = None

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._name

    @property
    def resource_handle(self) -> Tensor:
        """The tensor that stands for the table."""
        handle: Tensor = self._handle
        return handle

    @property
    def default_value(self) -> Tensor:
        """The value of keys that are not in the table."""
        value: Tensor = self._default
        return value

    def check_dtypes(self, key_dtype: DType, value_dtype: DType) -> None:
        """Checks dtypes against those of the table.

        Raises:
            TypeError: they are others.
        """
        pairs = (("keys", key_dtype, self.key_dtype), ("values", value_dtype, self.value_dtype))
        for what, given, own in pairs:
            if given.base_dtype is not own:
                raise TypeError(f"{what} of table {self.name} must be {own.name}, got {given.name}")

    def size(self, name: str | None = None) -> Tensor:
        """How many keys there are.

        Args:
            name: a name for the scope of the op.

        Returns:
            A scalar Tensor of int64.
        """
        with name_scope(name, f"{self.name}_Size", [self.resource_handle]):
            size: Tensor = SIZE(self.resource_handle)
        return size

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys.

        Args:
            keys: a tensor of keys, or a SparseTensor.
            name: a name for the scope of the op.

        Returns:
            A Tensor of the shape of `keys` (for values that are tensors, with their shape behind
            it); of a SparseTensor, a SparseTensor. Keys that are not there have the default value.

        Raises:
            TypeError: the keys are of another dtype.
        """
        sparse = isinstance(keys, SparseTensor)
        values = keys.values if sparse else keys
        with name_scope(name, f"{self.name}_Lookup", [self.resource_handle, values, self._default]):
            values = convert_to_tensor(values, None if sparse else self._hint(values))
            if values.dtype.base_dtype is not self.key_dtype:
                raise TypeError(
                    f"keys of table {self.name} must be {self.key_dtype.name}, got "
                    f"{values.dtype.base_dtype.name}"
                )
            found = FIND(self.resource_handle, values, self._default)
        return SparseTensor(keys.indices, found, keys.dense_shape) if sparse else found

    def _hint(self, keys: Any) -> Any:
        """The dtype that plain values of Python become."""
        return None if hasattr(keys, "dtype") else self.key_dtype


class HashTable(LookupInterface):
    """A table that gets its content once, by `td.tables_initializer` or `initializer`.

    Args:
        initializer: what it holds: `td.lookup.KeyValueTensorInitializer`,
            `td.lookup.TextFileInitializer` or a kin.
        default_value: the value of keys that are not there.
        shared_name: a name under which a session keeps the table: tables of one name are one.
        name: a name for the op.

    Raises:
        TypeError: the default value is of another dtype than the values.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     content = td.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
        ...     table = td.contrib.lookup.HashTable(content, -1)
        ...     session.run(table.initializer)
        ...     print(session.run([table.size(), table.lookup(td.constant(["b", "c"]))]))
        [np.int64(2), array([ 2, -1], dtype=int32)]
    """

    def __init__(
        self,
        initializer: TableInitializer,
        default_value: Any,
        shared_name: str | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(initializer.key_dtype, initializer.value_dtype, name or "hash_table")
        with name_scope(name, "hash_table") as scope:
            self._handle = HASH_TABLE(
                shared_name=shared_name or "",
                use_node_name_sharing=True,
                key_dtype=self.key_dtype,
                value_dtype=self.value_dtype,
                name=scope,
            )
            self._default = convert_to_tensor(default_value, self.value_dtype, "Const")
            self._default.shape.assert_has_rank(0)
            self._initializer = initializer.initialize(self)

    @property
    def initializer(self) -> Operation:
        """The op that gives the table its content."""
        return self._initializer

    @property
    def init(self) -> Operation:
        """The initializer, by its older name."""
        return self._initializer


class _Mutable(LookupInterface):
    """A table whose content changes while a graph runs."""

    def _kept(self, checkpoint: bool) -> None:
        if checkpoint:
            get_default_graph().add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self)

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Operation:
        """Adds an op that gives keys values.

        Args:
            keys: a tensor of keys.
            values: a tensor of as many values.
            name: a name for the scope of the op.

        Returns:
            The op.

        Raises:
            TypeError: the dtypes are not those of the table.
            ValueError: the shapes do not fit together.
        """
        with name_scope(name, f"{self.name}_lookup_table_insert", [self.resource_handle]):
            keys = convert_to_tensor(keys, self._hint(keys), "keys")
            hint = None if hasattr(values, "dtype") else self.value_dtype
            values = convert_to_tensor(values, hint, "values")
            self.check_dtypes(keys.dtype, values.dtype)
            op: Operation = INSERT(self.resource_handle, keys, values)
        return op

    def remove(self, keys: Any, name: str | None = None) -> Operation:
        """Adds an op that removes keys; those that are not there are no error.

        Args:
            keys: a tensor of keys.
            name: a name for the scope of the op.

        Returns:
            The op.

        Raises:
            TypeError: the keys are of another dtype.
        """
        with name_scope(name, f"{self.name}_lookup_table_remove", [self.resource_handle]):
            keys = convert_to_tensor(keys, self._hint(keys), "keys")
            self.check_dtypes(keys.dtype, self.value_dtype)
            op: Operation = REMOVE(self.resource_handle, keys)
        return op

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys and their values.

        Args:
            name: a name for the scope of the op.

        Returns:
            Two Tensors. Keys come in the order in which they came in, where TensorFlow has none.
        """
        with name_scope(name, f"{self.name}_lookup_table_export_values", [self.resource_handle]):
            keys, values = EXPORT(
                self.resource_handle, Tkeys=self.key_dtype, Tvalues=self.value_dtype
            )
        return keys, values


class MutableHashTable(_Mutable):
    """A table whose content changes while a graph runs.

    Args:
        key_dtype: the dtype of the keys.
        value_dtype: the dtype of the values.
        default_value: the value of keys that are not there: a scalar, or a vector for values that
            are vectors.
        shared_name: a name under which a session keeps the table.
        name: a name for the op.
        checkpoint: whether it is among what `td.GraphKeys.SAVEABLE_OBJECTS` collects.

    Raises:
        TypeError: the default value is of another dtype than the values.
        ValueError: the default value is no scalar or vector.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     table = td.contrib.lookup.MutableHashTable(td.string, td.int64, -1)
        ...     session.run(table.insert(["a", "b"], [1, 2]))
        ...     print(session.run(table.lookup(["b", "c"])))
        [ 2 -1]
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        shared_name: str | None = None,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
    ) -> None:
        super().__init__(key_dtype, value_dtype, name)
        self._default = convert_to_tensor(default_value, self.value_dtype, "Const")
        attrs = {
            "shared_name": shared_name or "",
            "use_node_name_sharing": checkpoint and not shared_name,
            "key_dtype": self.key_dtype,
            "value_dtype": self.value_dtype,
        }
        if self._default.shape.rank == 0:
            self._handle = MUTABLE_HASH_TABLE(**attrs, name=name)
        else:
            shape = self._default.shape.with_rank(1)
            self._handle = MUTABLE_HASH_TABLE_OF_TENSORS(**attrs, value_shape=shape, name=name)
        self._kept(checkpoint)


class MutableDenseHashTable(_Mutable):
    """A table whose content changes while a graph runs, of keys that may be vectors.

    Args:
        key_dtype: the dtype of the keys.
        value_dtype: the dtype of the values.
        default_value: the value of keys that are not there.
        empty_key: a key that is never used.
        initial_num_buckets: the number of buckets at first, a power of 2; `export` gives a row for
            each bucket.
        shared_name: a name under which a session keeps the table.
        name: a name for the op.
        checkpoint: whether it is among what `td.GraphKeys.SAVEABLE_OBJECTS` collects.
        deleted_key: another key that is never used, of the shape of `empty_key`.

    Raises:
        TypeError: a value is of another dtype.
        ValueError: the two keys are the same, or the number of buckets is no power of 2.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     table = td.contrib.lookup.MutableDenseHashTable(
        ...         td.int64, td.float32, 0.0, empty_key=-1, deleted_key=-2
        ...     )
        ...     session.run(table.insert([7], [0.5]))
        ...     print(session.run(table.lookup([7, 8])))
        [0.5 0. ]
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        initial_num_buckets: int | None = None,
        shared_name: str | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        deleted_key: Any = None,
    ) -> None:
        super().__init__(key_dtype, value_dtype, name)
        self._default = convert_to_tensor(default_value, self.value_dtype, "default_value")
        empty = convert_to_tensor(empty_key, self.key_dtype, "empty_key")
        if deleted_key is None:
            raise ValueError("deleted_key must be given: a key that is never used")
        buckets = (
            {} if initial_num_buckets is None else {"initial_num_buckets": initial_num_buckets}
        )
        self._handle = MUTABLE_DENSE_HASH_TABLE(
            empty,
            convert_to_tensor(deleted_key, self.key_dtype, "deleted_key"),
            shared_name=shared_name or "",
            use_node_name_sharing=checkpoint and not shared_name,
            value_dtype=self.value_dtype,
            value_shape=self._default.shape if self._default.shape.rank else TensorShape([]),
            name=name,
            **buckets,
        )
        self._kept(checkpoint)


def tables_initializer(name: str = "init_all_tables") -> Operation:
    """An op that gives all tables of the graph their content.

    Args:
        name: a name for the op.

    Returns:
        An Operation that runs what `td.GraphKeys.TABLE_INITIALIZERS` collects.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.tables_initializer().type
        'NoOp'
    """
    initializers = get_default_graph().get_collection(GraphKeys.TABLE_INITIALIZERS)
    return group(*initializers, name=name)


def initialize_all_tables(name: str = "init_all_tables") -> Operation:
    """As `td.tables_initializer`, by its older name.

    Args:
        name: a name for the op.

    Returns:
        An Operation.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.initialize_all_tables().name
        'init_all_tables'
    """
    return tables_initializer(name)
