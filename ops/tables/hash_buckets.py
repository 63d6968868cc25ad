"""Tables to ids that assign hash buckets to unknown keys."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Operation, Tensor
from ...protos.dtypes import DType, as_dtype, int64, string
from ..array.cast import cast
from ..math.arithmetic import add
from ..math.comparison import not_equal
from ..math.where import where
from ..strings.as_string import as_string
from ..strings.string_to_hash_bucket import string_to_hash_bucket_fast, string_to_hash_bucket_strong
from .hash_table import HashTable
from .lookup_tables import LookupInterface
from .table_initializers import TableInitializer

public = {
    "td.lookup": "StaticVocabularyTable",
    "td.contrib.lookup": "FastHashSpec HasherSpec IdTableWithHashBuckets StrongHashSpec",
}


class HasherSpec(NamedTuple):
    """Hash function for unknown words.

    Args:
        hasher: "fasthash" or "stronghash".
        key: of "stronghash", two secret integers.

    Example:
        >>> td.contrib.lookup.FastHashSpec.hasher
        'fasthash'
    """

    hasher: str
    key: Any = None


FastHashSpec = HasherSpec("fasthash")


class StrongHashSpec(HasherSpec):
    """A keyed hash, whose collisions cannot be provoked without the key.

    Args:
        key: two unsigned integers of 64 bits.

    Raises:
        ValueError: there are not two.

    Example:
        >>> td.contrib.lookup.StrongHashSpec([1, 2]).hasher
        'stronghash'
    """

    __slots__ = ()

    def __new__(cls, key: Any) -> Self:
        """Takes the key only."""
        if len(key) != 2:
            raise ValueError(f"key must be two unsigned integers of 64 bits, got {key!r}")
        return super().__new__(cls, "stronghash", list(key))


class IdTableWithHashBuckets(LookupInterface):
    """A table to numbers, behind which keys that are not in it have numbers by their hash.

    Args:
        table: a table to int64, or None for ids by hash only.
        num_oov_buckets: how many numbers those keys share, at least 1 without a table.
        hasher_spec: their hash function: `td.contrib.lookup.FastHashSpec`, or a StrongHashSpec.
        name: the name of the table.
        key_dtype: the dtype of the keys; by default that of the table.

    Raises:
        TypeError: the dtypes of the table do not fit, or `hasher_spec` is none.
        ValueError: there is neither a table nor a bucket.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     table = td.contrib.lookup.index_table_from_tensor(["a", "b"], num_oov_buckets=1)
        ...     session.run(td.tables_initializer())
        ...     print(session.run(table.lookup(td.constant(["b", "?"]))))
        [1 2]
    """

    def __init__(
        self,
        table: LookupInterface | None,
        num_oov_buckets: int,
        hasher_spec: HasherSpec = FastHashSpec,
        name: str | None = None,
        key_dtype: Any = None,
    ) -> None:
        own = string if table is None else table.key_dtype
        key_dtype = as_dtype(own if key_dtype is None else key_dtype)
        _check_table(table, num_oov_buckets, key_dtype)
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError(f"hasher_spec must be a HasherSpec, got {hasher_spec!r}")
        if hasher_spec.hasher not in ("fasthash", "stronghash"):
            raise ValueError(f"the hasher must be fasthash or stronghash, got {hasher_spec.hasher}")
        inner = "string_to_index" if table is None else table.name
        super().__init__(key_dtype, int64, name or f"{inner}_hash_bucket")
        self._table = table
        self._num_oov_buckets = num_oov_buckets
        self._hasher_spec = hasher_spec
        if table is not None:
            self._handle = table.resource_handle

    @property
    def initializer(self) -> Operation | None:
        """The op that gives the table its content."""
        return getattr(self._table, "initializer", None)

    @property
    def init(self) -> Operation | None:
        """The initializer, by its older name."""
        return self.initializer

    def size(self, name: str | None = None) -> Tensor:
        """Number of ids: of keys, and of buckets.

        Args:
            name: a name for the scope of the ops.

        Returns:
            A scalar Tensor of int64.
        """
        with name_scope(name, f"{self.name}_Size"):
            buckets = convert_to_tensor(self._num_oov_buckets, int64)
            return buckets if self._table is None else add(self._table.size(), buckets)

    def _found(self, keys: Tensor) -> Tensor:
        """The numbers of keys: those of the table, or behind them by hash."""
        table = self._table
        if table is not None and table.key_dtype is int64 and self.key_dtype is not int64:
            keys = cast(keys, int64)
        if table is not None and self._num_oov_buckets == 0:
            return table.lookup(keys)
        buckets = self._hashed(keys)
        if table is None:
            return buckets
        ids = table.lookup(keys)
        in_table = not_equal(ids, table.default_value)
        return where(in_table, ids, add(buckets, table.size()))

    def _hashed(self, values: Tensor) -> Tensor:
        texts = values if self.key_dtype is string else as_string(values)
        if self._hasher_spec.hasher == "fasthash":
            return string_to_hash_bucket_fast(texts, self._num_oov_buckets)
        return string_to_hash_bucket_strong(texts, self._num_oov_buckets, self._hasher_spec.key)


def _check_table(table: LookupInterface | None, buckets: int, key_dtype: DType) -> None:
    if buckets < 0:
        raise ValueError(f"num_oov_buckets must be at least 0, got {buckets}")
    if not (key_dtype is string or key_dtype.is_integer):
        raise TypeError(f"keys must be strings or integers, got {key_dtype.name}")
    if table is None:
        if buckets == 0:
            raise ValueError("num_oov_buckets must be at least 1 where there is no table")
        return
    if table.value_dtype is not int64:
        raise TypeError(f"table must be one to int64, got one to {table.value_dtype.name}")
    if table.key_dtype.is_integer is not key_dtype.is_integer:
        raise TypeError(
            f"keys must be as those of the table, {table.key_dtype.name}, got {key_dtype.name}"
        )


class StaticVocabularyTable(IdTableWithHashBuckets):
    """A table to numbers, behind which unknown keys have numbers by their hash.

    Args:
        initializer: what the table holds, to int64; or None.
        num_oov_buckets: how many numbers unknown keys share, at least 1.
        lookup_key_dtype: the dtype of the keys; by default that of `initializer`.
        name: the name of the table.

    Raises:
        TypeError: the values are not int64.
        ValueError: there is no bucket.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     numbers = td.constant([0, 1], td.int64)
        ...     content = td.lookup.KeyValueTensorInitializer(["a", "b"], numbers)
        ...     table = td.lookup.StaticVocabularyTable(content, 1)
        ...     session.run(td.tables_initializer())
        ...     print(session.run(table.lookup(td.constant(["b", "?"]))))
        [1 2]
    """

    def __init__(
        self,
        initializer: TableInitializer | None,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
    ) -> None:
        if num_oov_buckets < 1:
            raise ValueError(f"num_oov_buckets must be at least 1, got {num_oov_buckets}")
        table = None
        if initializer is not None:
            if initializer.value_dtype is not int64:
                raise TypeError(f"the values must be int64, got {initializer.value_dtype.name}")
            table = HashTable(initializer, -1, name=name)
        super().__init__(table, num_oov_buckets, FastHashSpec, name, lookup_key_dtype)
