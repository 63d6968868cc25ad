"""Layers from strings and integers to numbers: vocabularies, hashes, words of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.array.cast import cast
from ...ops.array.constants import constant, zeros_like
from ...ops.array.pad import pad
from ...ops.array.reshape import expand_dims, reshape
from ...ops.array.shapes import shape
from ...ops.math.comparison import equal, not_equal
from ...ops.math.where import where_v2
from ...ops.ragged.ragged_strings import ngrams as ngrams_of, unicode_split
from ...ops.ragged.ragged_tensor import RaggedTensor
from ...ops.sparse.sparse_cross import cross_hashed
from ...ops.sparse.sparse_to_dense import sparse_tensor_to_dense
from ...ops.strings.as_string import as_string
from ...ops.strings.regex import regex_replace
from ...ops.strings.string_case_and_length import string_lower
from ...ops.strings.string_split_v2 import split as string_split
from ...ops.strings.string_to_hash_bucket import (
    string_to_hash_bucket_fast,
    string_to_hash_bucket_strong,
)
from ...ops.tables.hash_table import HashTable
from ...ops.tables.table_initializers import KeyValueTensorInitializer
from .base_layer import KerasStyle
from .preprocessing_layers import encoded

public = {"td.keras.layers": "HashedCrossing Hashing IntegerLookup StringLookup TextVectorization"}

_STRIPPED = r"""[!"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']"""


class _Lookup(KerasStyle):
    """Base of layers with a vocabulary."""

    key_dtype = "string"
    variables_in_config = True

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: Any = None,
        oov_token: Any = None,
        vocabulary: Any = None,
        idf_weights: Any = None,
        invert: bool = False,
        output_mode: str = "int",
        pad_to_max_tokens: bool = False,
        **kwargs: Any,
    ) -> None:
        idle = ("encoding", "sparse", "has_input_vocabulary", "vocabulary_size", "vocabulary_dtype")
        for name in (*idle, "dtype"):  # the outputs' dtype follows from their mode
            kwargs.pop(name, None)
        super().__init__(**kwargs)
        if isinstance(vocabulary, (str, bytes)) or vocabulary is None:
            raise ValueError(f"vocabulary must be a list, got {vocabulary!r}")
        if num_oov_indices < 0:
            raise ValueError(f"num_oov_indices must not be negative, got {num_oov_indices}")
        self.num_oov_indices, self.mask_token, self.oov_token = (
            num_oov_indices,
            mask_token,
            oov_token,
        )
        self.invert, self.output_mode = invert, output_mode
        self.vocabulary = _without_special(list(vocabulary), mask_token, oov_token, num_oov_indices)
        self.max_tokens, self.pad_to_max_tokens = max_tokens, pad_to_max_tokens
        self._idf = idf_weights
        self._masked = mask_token is not None and output_mode == "int"
        self._table: Any = None

    @property
    def _first(self) -> int:
        """The index of the first token of the vocabulary."""
        return self.num_oov_indices + int(self._masked)

    def _made(self) -> Any:
        if self._table is None:
            places = [self._first + place for place in range(len(self.vocabulary))]
            keys: Sequence[Any] = self.vocabulary
            if self.invert:
                start = KeyValueTensorInitializer(places, keys, "int64", self.key_dtype)
                default = self.oov_token
            else:
                start = KeyValueTensorInitializer(keys, places, self.key_dtype, "int64")
                default = int(self._masked) if self.num_oov_indices else -1
            self._table = HashTable(start, default)
        return self._table

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The indices of tokens, or with `invert` the tokens of indices."""
        if self.invert:
            tokens = self._made().lookup(cast(inputs, "int64"))
            if self._masked:
                tokens = where_v2(equal(cast(inputs, "int64"), 0), self.mask_token, tokens)
            return tokens
        keys = inputs if self.key_dtype == "string" else cast(inputs, "int64")
        indices = self._made().lookup(keys)
        if self.num_oov_indices > 1:
            indices = where_v2(
                equal(indices, int(self._masked)), self._hashed(keys) + int(self._masked), indices
            )
        if self._masked:
            indices = where_v2(equal(keys, self.mask_token), zeros_like(indices), indices)
        size = self.max_tokens if self.pad_to_max_tokens else self._first + len(self.vocabulary)
        idf = self.idf() if self.output_mode == "tf_idf" else None
        return encoded(indices, self.output_mode, size, idf=idf)

    def idf(self) -> list[float]:
        """The weights of the mode "tf_idf", those of unknown tokens the mean of the others.

        Raises:
            ValueError: there are none.
        """
        if self._idf is None:
            raise ValueError(f"layer {self.name} of output_mode 'tf_idf' has no idf_weights")
        numbers = [float(x) for x in self._idf]
        if len(numbers) == len(self.vocabulary):
            mean = sum(numbers) / max(len(numbers), 1)
            numbers = [mean] * self._first + numbers
        lacking = (self.max_tokens or 0) - len(numbers) if self.pad_to_max_tokens else 0
        return numbers + [0.0] * lacking

    def _hashed(self, keys: Any) -> Any:
        """The places of tokens that are not in the vocabulary."""
        if self.key_dtype == "string":
            return string_to_hash_bucket_fast(keys, self.num_oov_indices)
        return keys % self.num_oov_indices


def _without_special(tokens: list[Any], mask: Any, oov: Any, count: int) -> list[Any]:
    """A vocabulary without the tokens before it that files may list, too."""
    special = [] if mask is None else [mask]
    special += [oov] * count
    return tokens[len(special) :] if special and tokens[: len(special)] == special else tokens


class StringLookup(_Lookup):
    """Strings as indices of a vocabulary.

    Args:
        max_tokens: the most tokens.
        num_oov_indices: how many indices there are for tokens that are not in the vocabulary.
        mask_token: the token of padding, which becomes 0.
        oov_token: the token of indices that are not in the vocabulary.
        vocabulary: the tokens.
        idf_weights: the weights of the mode "tf_idf".
        invert: whether indices become strings.
        output_mode: "int", "one_hot", "multi_hot", "count" or "tf_idf".
        pad_to_max_tokens: whether vectors have as many numbers as `max_tokens` says.
        kwargs: further arguments of a layer.

    Raises:
        ValueError: the vocabulary is not a list.

    Example:
        >>> layer = td.keras.layers.StringLookup(vocabulary=["a", "b"])
        >>> layer.vocabulary
        ['a', 'b']
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: Any = None,
        oov_token: Any = "[UNK]",  # noqa: S107 - a token of text
        vocabulary: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(max_tokens, num_oov_indices, mask_token, oov_token, vocabulary, **kwargs)


class IntegerLookup(_Lookup):
    """Integers as indices of a vocabulary: arguments as for `StringLookup`.

    Example:
        >>> td.keras.layers.IntegerLookup(vocabulary=[12, 36]).vocabulary
        [12, 36]
    """

    key_dtype = "int64"

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: Any = None,
        oov_token: Any = -1,
        vocabulary: Any = None,
        **kwargs: Any,
    ) -> None:
        if isinstance(vocabulary, (list, tuple)):
            vocabulary = [int(token) for token in vocabulary]
        super().__init__(max_tokens, num_oov_indices, mask_token, oov_token, vocabulary, **kwargs)


class TextVectorization(KerasStyle):
    """Texts as the indices of their words.

    Args:
        max_tokens: the most tokens.
        standardize: "lower_and_strip_punctuation", "lower", "strip_punctuation" or None.
        split: "whitespace", "character", or None for texts that are tokens.
        ngrams: how many neighboring words are joined: all numbers up to an int, or those of a
            list; by default 1.
        output_mode: "int", "multi_hot", "count" or "tf_idf".
        output_sequence_length: the number of indices of a text.
        pad_to_max_tokens: whether vectors have as many numbers as `max_tokens` says.
        vocabulary: the tokens.
        idf_weights: the weights of the mode "tf_idf".
        kwargs: further arguments of a layer.

    Raises:
        ValueError: another way of standardizing or splitting is asked for.

    Example:
        >>> layer = td.keras.layers.TextVectorization(vocabulary=["hello", "you"])
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     y = layer(td.constant(["Hello, you!", "me"]))
        ...     session.run(td.tables_initializer())
        ...     session.run(y).tolist()
        [[2, 3], [1, 0]]
    """

    variables_in_config = True

    def __init__(
        self,
        max_tokens: int | None = None,
        standardize: Any = "lower_and_strip_punctuation",
        split: Any = "whitespace",
        ngrams: Any = None,
        output_mode: str = "int",
        output_sequence_length: int | None = None,
        pad_to_max_tokens: bool = False,
        vocabulary: Any = None,
        idf_weights: Any = None,
        **kwargs: Any,
    ) -> None:
        for name in ("encoding", "sparse", "vocabulary_size", "has_input_vocabulary", "dtype"):
            kwargs.pop(name, None)
        if kwargs.pop("ragged", False):
            raise ValueError("ragged must be False")
        super().__init__(**kwargs)
        ways = (None, "lower", "strip_punctuation", "lower_and_strip_punctuation")
        if standardize not in ways:
            raise ValueError(f"standardize must be one of {ways}, got {standardize!r}")
        if split not in (None, "whitespace", "character"):
            raise ValueError(f"split must be 'whitespace', 'character' or None, got {split!r}")
        if ngrams is not None and split is None:
            raise ValueError(f"ngrams = {ngrams!r} requires that texts are split")
        self.standardize, self.split = standardize, split
        self.widths = [*range(1, ngrams + 1)] if isinstance(ngrams, int) else ngrams
        self.output_sequence_length = output_sequence_length
        self.lookup = StringLookup(
            max_tokens,
            mask_token="",
            vocabulary=vocabulary,
            output_mode=output_mode,
            pad_to_max_tokens=pad_to_max_tokens,
            idf_weights=idf_weights,
        )
        self.output_mode = output_mode

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The indices."""
        texts = inputs
        if self.standardize and "lower" in self.standardize:
            texts = string_lower(texts)
        if self.standardize and "strip" in self.standardize:
            texts = regex_replace(texts, _STRIPPED, "")
        if self.split is None:
            return self.lookup(texts)
        rows = texts if texts.shape.rank == 1 else reshape(texts, [-1])
        words = self._words(rows)
        if self.output_mode != "int":
            return self._counted(words)
        indices = self.lookup(words)
        length = self.output_sequence_length
        if length is None:
            return indices
        cut = indices[:, :length]
        wide = pad(cut, [[0, 0], [0, length - shape(cut)[1]]])
        wide.set_shape([None, length])
        return wide

    def _words(self, texts: Any) -> Any:
        """The words of texts, or their n-grams, padded with empty strings."""
        if self.split == "character":
            words = unicode_split(texts, "UTF-8")
        elif self.widths is None:
            return sparse_tensor_to_dense(string_split(texts), default_value="")
        else:
            words = RaggedTensor.from_sparse(string_split(texts))
        if self.widths is not None:
            words = ngrams_of(words, list(self.widths))
        return words.to_tensor("")

    def _counted(self, words: Any) -> Any:
        """Vectors of words, in which padding does not count."""
        counts = cast(not_equal(words, ""), "float32")
        lookup = self.lookup
        indices = StringLookup(
            num_oov_indices=lookup.num_oov_indices, vocabulary=lookup.vocabulary
        )(words)
        size = lookup.num_oov_indices + len(lookup.vocabulary)
        depth = lookup.max_tokens if lookup.pad_to_max_tokens else size
        sums = encoded(indices, "count", depth, counts)
        if self.output_mode == "multi_hot":
            return cast(sums > 0.0, "float32")
        return sums if self.output_mode == "count" else sums * constant(lookup.idf(), "float32")


class Hashing(KerasStyle):
    """Strings or integers as the numbers of hash buckets.

    Args:
        num_bins: how many buckets there are.
        mask_value: a value that has bucket 0 for itself.
        salt: a number, or two, for SipHash; by default another hash is taken.
        output_mode: "int", "one_hot", "multi_hot" or "count".
        kwargs: further arguments of a layer.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     y = td.keras.layers.Hashing(3)(td.constant([["A"], ["B"]]))
        ...     print(session.run(y).tolist())
        [[1], [0]]
    """

    def __init__(
        self,
        num_bins: int,
        mask_value: Any = None,
        salt: Any = None,
        output_mode: str = "int",
        **kwargs: Any,
    ) -> None:
        kwargs.pop("sparse", None)
        kwargs.pop("dtype", None)
        super().__init__(**kwargs)
        self.num_bins, self.mask_value, self.output_mode = num_bins, mask_value, output_mode
        self.salt = salt if salt is None or isinstance(salt, (list, tuple)) else [salt, salt]

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The numbers of buckets."""
        masked = self.mask_value is not None and self.num_bins > 1
        texts = as_string(inputs) if inputs.dtype.is_integer else inputs
        count = self.num_bins - int(masked)
        if self.salt is not None:
            places = string_to_hash_bucket_strong(texts, count, list(self.salt))
        else:
            places = string_to_hash_bucket_fast(texts, count)
        if masked:
            places = where_v2(equal(inputs, self.mask_value), zeros_like(places), places + 1)
        return encoded(places, self.output_mode, self.num_bins)


class HashedCrossing(KerasStyle):
    """Combinations of features as the numbers of hash buckets.

    Args:
        num_bins: how many buckets there are.
        output_mode: "int" or "one_hot".
        kwargs: further arguments of a layer.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     layer = td.keras.layers.HashedCrossing(5)
        ...     print(session.run(layer([td.constant([["A"]]), td.constant([[1]])])).tolist())
        [[0]]
    """

    def __init__(self, num_bins: int, output_mode: str = "int", **kwargs: Any) -> None:
        kwargs.pop("sparse", None)
        kwargs.pop("dtype", None)
        super().__init__(**kwargs)
        self.num_bins, self.output_mode = num_bins, output_mode

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The numbers of buckets.

        Raises:
            ValueError: the inputs are not several columns.
        """
        if not isinstance(inputs, (list, tuple)) or len(inputs) < 2:
            raise ValueError(f"inputs must be several tensors, got {inputs!r}")
        is_wide = inputs[0].shape.rank == 2
        columns = [x if is_wide else expand_dims(x, -1) for x in inputs]
        crossed = sparse_tensor_to_dense(cross_hashed(columns, self.num_bins))
        places = reshape(crossed, [-1, 1] if is_wide else [-1])
        return encoded(places, self.output_mode, self.num_bins)
