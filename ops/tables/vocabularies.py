"""Vocabularies: tables from words to numbers and back, with buckets for unknown words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.sparse_tensor import SparseTensor
from ...protos.dtypes import as_dtype, int64, string
from ..array.casting import cast
from ..array.ranges import range as numbers_in
from ..array.shapes import size as size_of
from ..math.arithmetic import add
from ..math.comparison import not_equal
from ..math.select import where
from ..strings.string_forms import as_string
from ..strings.string_hashes import string_to_hash_bucket_fast, string_to_hash_bucket_strong
from .lookup_tables import HashTable, LookupInterface
from .table_contents import (
    KeyValueTensorInitializer,
    TextFileIdTableInitializer,
    TextFileStringTableInitializer,
)
from .text_files import LINE_NUMBER, WHOLE_LINE

if TYPE_CHECKING:
    from ...graph.node import Operation, Tensor
    from ...protos.dtypes import DType
    from .table_contents import TableInitializer

public = {
    "td.lookup": "StaticVocabularyTable",
    "td.contrib.lookup": (
        "FastHashSpec HasherSpec IdTableWithHashBuckets StrongHashSpec index_table_from_file "
        "index_table_from_tensor index_to_string_table_from_file "
        "index_to_string_table_from_tensor"
    ),
}


class HasherSpec(NamedTuple):
    """How unknown words are told apart.

    Args:
        hasher: "fasthash" or "stronghash".
        key: of "stronghash", two integers that nobody else knows.
    """

    hasher: str
    key: Any = None


FastHashSpec = HasherSpec("fasthash")


class StrongHashSpec(HasherSpec):
    """A hash whose collisions nobody can provoke who does not know the key.

    Args:
        key: two unsigned integers of 64 bits.

    Raises:
        ValueError: there are not two.

    Example:
        >>> import tensordraft as td
        >>> td.contrib.lookup.StrongHashSpec([1, 2]).hasher
        'stronghash'
    """

    __slots__ = ()

    def __new__(cls, key: Any) -> Self:
        """Takes the key alone."""
        if len(key) != 2:
            raise ValueError(f"key must be two unsigned integers of 64 bits, got {key!r}")
        return super().__new__(cls, "stronghash", list(key))


class IdTableWithHashBuckets(LookupInterface):
    """A table to numbers, behind which keys that are not in it have numbers by their hash.

    Args:
        table: a table to int64, or None for numbers by hash alone.
        num_oov_buckets: how many numbers those keys share, at least 1 without a table.
        hasher_spec: how they are told apart: `td.contrib.lookup.FastHashSpec`, or a StrongHashSpec.
        name: the name of the table.
        key_dtype: the dtype of the keys; by default that of the table.

    Raises:
        TypeError: the dtypes of the table do not fit, or `hasher_spec` is none.
        ValueError: there is neither a table nor a bucket.

    Example:
        >>> import tensordraft as td
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
        """How many numbers there are: of keys, and of buckets.

        Args:
            name: a name for the scope of the ops.

        Returns:
            A scalar Tensor of int64.
        """
        with name_scope(name, f"{self.name}_Size"):
            buckets = convert_to_tensor(self._num_oov_buckets, int64)
            return buckets if self._table is None else add(self._table.size(), buckets)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The numbers of keys.

        Args:
            keys: a tensor of keys, or a SparseTensor.
            name: a name for the scope of the ops.

        Returns:
            A Tensor of int64 and the shape of `keys`; of a SparseTensor, a SparseTensor.

        Raises:
            TypeError: the keys are of another dtype.
        """
        sparse = isinstance(keys, SparseTensor)
        values = keys.values if sparse else keys
        with name_scope(name, f"{self.name}_Lookup", [values]):
            values = convert_to_tensor(values, None if sparse else self._hint(values))
            if values.dtype.base_dtype is not self.key_dtype:
                raise TypeError(
                    f"keys of table {self.name} must be {self.key_dtype.name}, got "
                    f"{values.dtype.base_dtype.name}"
                )
            numbers = self._numbers(values)
        return SparseTensor(keys.indices, numbers, keys.dense_shape) if sparse else numbers

    def _numbers(self, values: Tensor) -> Tensor:
        table = self._table
        if table is not None and table.key_dtype is int64 and self.key_dtype is not int64:
            values = cast(values, int64)
        if table is not None and self._num_oov_buckets == 0:
            found: Tensor = table.lookup(values)
            return found
        buckets = self._hashed(values)
        if table is None:
            return buckets
        found = table.lookup(values)
        known = not_equal(found, table.default_value)
        return where(known, found, add(buckets, table.size()))

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
        >>> import tensordraft as td
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


def index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: Any = string,
    name: str | None = None,
    key_column_index: int = WHOLE_LINE,
    value_column_index: int = LINE_NUMBER,
    delimiter: str = "\t",
) -> LookupInterface:
    r"""A table from the lines of a text file to their numbers.

    Args:
        vocabulary_file: the path.
        num_oov_buckets: how many numbers unknown words share, behind those of the lines.
        vocab_size: how many lines are read; by default all.
        default_value: the number of unknown words where they share none.
        hasher_spec: how unknown words are told apart.
        key_dtype: string, or an integer dtype.
        name: a name for the scope of the table.
        key_column_index: where the words stand in a line.
        value_column_index: where their numbers stand.
        delimiter: what is between columns.

    Returns:
        A table; `td.tables_initializer` gives it its content.

    Raises:
        TypeError: the keys are neither strings nor integers.
        ValueError: no file is given, or a count is negative.

    Example:
        >>> import os, tempfile
        >>> import tensordraft as td
        >>> path = os.path.join(tempfile.mkdtemp(), "words.txt")
        >>> with open(path, "w") as file:
        ...     _ = file.write("one\ntwo\n")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     table = td.contrib.lookup.index_table_from_file(path)
        ...     session.run(td.tables_initializer())
        ...     print(session.run(table.lookup(td.constant(["two", "six"]))))
        [ 1 -1]
    """
    _check_file(vocabulary_file, vocab_size)
    key_dtype = as_dtype(key_dtype)
    with name_scope(name, "string_to_index"):
        content = TextFileIdTableInitializer(
            vocabulary_file,
            key_column_index,
            value_column_index,
            vocab_size,
            delimiter,
            "table_init",
            int64 if key_dtype.is_integer else key_dtype,
        )
        table = HashTable(content, default_value, name="hash_table")
        return _with_buckets(table, num_oov_buckets, hasher_spec, key_dtype)


def index_table_from_tensor(
    vocabulary_list: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    dtype: Any = string,
    name: str | None = None,
) -> LookupInterface:
    """A table from the elements of a vector to their numbers.

    Args:
        vocabulary_list: a vector of strings or integers, each of them once; TensorFlow's early
            releases call it `mapping`.
        num_oov_buckets: how many numbers unknown words share, behind those of the elements.
        default_value: the number of unknown words where they share none.
        hasher_spec: how unknown words are told apart.
        dtype: string, or an integer dtype.
        name: a name for the scope of the table.

    Returns:
        A table; `td.tables_initializer` gives it its content.

    Raises:
        TypeError: the elements are neither strings nor integers.
        ValueError: nothing is given, or a count is negative.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     table = td.contrib.lookup.index_table_from_tensor(["one", "two"])
        ...     session.run(td.tables_initializer())
        ...     print(session.run(table.lookup(td.constant(["two", "six"]))))
        [ 1 -1]
    """
    if vocabulary_list is None:
        raise ValueError("vocabulary_list must be given")
    key_dtype = as_dtype(dtype)
    with name_scope(name, "string_to_index"):
        keys = convert_to_tensor(vocabulary_list, None if key_dtype.is_integer else key_dtype)
        if keys.dtype.is_integer is not key_dtype.is_integer:
            raise TypeError(f"the elements are {keys.dtype.name}, and dtype is {key_dtype.name}")
        if key_dtype.is_integer:
            keys = cast(keys, int64)
        numbers = cast(numbers_in(size_of(keys)), int64)
        content = KeyValueTensorInitializer(keys, numbers, name="table_init")
        table = HashTable(content, default_value, name="hash_table")
        return _with_buckets(table, num_oov_buckets, hasher_spec, key_dtype)


def _with_buckets(
    table: HashTable, buckets: int, hasher_spec: HasherSpec, key_dtype: DType
) -> LookupInterface:
    if buckets or key_dtype is not table.key_dtype:
        return IdTableWithHashBuckets(table, buckets, hasher_spec, key_dtype=key_dtype)
    return table


def _check_file(vocabulary_file: Any, vocab_size: int | None) -> None:
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError("vocabulary_file must be given: the path of a text file")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"vocab_size must be positive, got {vocab_size}")


def index_to_string_table_from_file(
    vocabulary_file: Any,
    vocab_size: int | None = None,
    default_value: str = "UNK",
    name: str | None = None,
    key_column_index: int = LINE_NUMBER,
    value_column_index: int = WHOLE_LINE,
    delimiter: str = "\t",
) -> HashTable:
    r"""A table from numbers to the lines of a text file.

    Args:
        vocabulary_file: the path.
        vocab_size: how many lines are read; by default all.
        default_value: the text of other numbers.
        name: a name for the scope of the table.
        key_column_index: where the numbers stand in a line.
        value_column_index: where the texts stand.
        delimiter: what is between columns.

    Returns:
        A table; `td.tables_initializer` gives it its content.

    Raises:
        ValueError: no file is given, or a count is not positive.

    Example:
        >>> import os, tempfile
        >>> import tensordraft as td
        >>> path = os.path.join(tempfile.mkdtemp(), "words.txt")
        >>> with open(path, "w") as file:
        ...     _ = file.write("one\ntwo\n")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     table = td.contrib.lookup.index_to_string_table_from_file(path)
        ...     session.run(td.tables_initializer())
        ...     print(session.run(table.lookup(td.constant([1, 6], td.int64))))
        [b'two' b'UNK']
    """
    _check_file(vocabulary_file, vocab_size)
    with name_scope(name, "index_to_string"):
        content = TextFileStringTableInitializer(
            vocabulary_file,
            key_column_index,
            value_column_index,
            vocab_size,
            delimiter,
            "table_init",
        )
        return HashTable(content, default_value, name="hash_table")


def index_to_string_table_from_tensor(
    vocabulary_list: Any, default_value: str = "UNK", name: str | None = None
) -> HashTable:
    """A table from numbers to the elements of a vector.

    Args:
        vocabulary_list: a vector of strings; TensorFlow's early releases call it `mapping`.
        default_value: the text of other numbers.
        name: a name for the scope of the table.

    Returns:
        A table; `td.tables_initializer` gives it its content.

    Raises:
        ValueError: nothing is given.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     table = td.contrib.lookup.index_to_string_table_from_tensor(["one", "two"])
        ...     session.run(td.tables_initializer())
        ...     print(session.run(table.lookup(td.constant([1, 6], td.int64))))
        [b'two' b'UNK']
    """
    if vocabulary_list is None:
        raise ValueError("vocabulary_list must be given")
    with name_scope(name, "index_to_string"):
        texts = convert_to_tensor(vocabulary_list, string)
        numbers = cast(numbers_in(size_of(texts)), int64)
        content = KeyValueTensorInitializer(numbers, texts, int64, string, name="table_init")
        return HashTable(content, default_value, name="hash_table")
