"""Base classes of feature columns, and their access to features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...graph.sparse_tensor import SparseTensor, SparseTensorValue
from ...ops.array.cast import cast
from ...ops.array.reshape import expand_dims
from ...ops.array.shapes import shape
from ...ops.indexing.gather_nd import gather_nd
from ...ops.math.comparison import not_equal
from ...ops.math.where import where
from ...ops.sparse.sparse_joining import sparse_reshape
from ...protos.dtypes import int64, string


class Column(ABC):
    """Base class of feature columns: a feature, or a transformation of features."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name, which ops and variables get."""

    @property
    @abstractmethod
    def parse_example_spec(self) -> dict[str, Any]:
        """Feature specs for `td.parse_example`."""

    @abstractmethod
    def transformed(self, features: Features) -> Any:
        """Transforms features; the result is cached."""

    @property
    def scope_name(self) -> str:
        """The variable scope in a layer."""
        return self.name

    def leaves(self) -> list[str]:
        """The names of what the column is made of, for those that cross it."""
        return [self.name]


class IdsAndWeights(NamedTuple):
    """Result of a categorical column: ids as a SparseTensor, and their weights (or None)."""

    ids: SparseTensor
    weights: SparseTensor | None


class DenseColumn(Column):
    """A column of numbers."""

    @property
    @abstractmethod
    def variable_shape(self) -> tuple[int, ...]:
        """The shape of what one example has."""

    @abstractmethod
    def dense(self, features: Features, collections: Any, trainable: bool) -> Tensor:
        """The numbers, with a first dimension of examples.

        Args:
            features: the features.
            collections: further collections of variables.
            trainable: whether variables are trained.
        """


class CategoricalColumn(Column):
    """A column of numbered categories."""

    @property
    @abstractmethod
    def num_buckets(self) -> int:
        """Number of categories."""

    def sparse(self, features: Features) -> IdsAndWeights:
        """The numbers of the categories."""
        return IdsAndWeights(features.of(self), None)


class Features:
    """Features of a layer, and a cache of the columns' transformations.

    Args:
        features: tensors by name.
    """

    def __init__(self, features: Mapping[Any, Any]) -> None:
        self._given = features
        self._made: dict[Any, Any] = {}

    def of(self, key: Any) -> Any:
        """A feature by its name, with a dimension besides that of examples; or a column, made.

        Raises:
            ValueError: the feature is missing, or is a number.
        """
        if key not in self._made:
            self._made[key] = key.transformed(self) if isinstance(key, Column) else self._raw(key)
        return self._made[key]

    def _raw(self, key: str) -> Any:
        if key not in self._given:
            raise ValueError(f"Feature {key} is not in features dictionary: {sorted(self._given)}")
        feature = self._given[key]
        if isinstance(feature, SparseTensorValue):
            feature = SparseTensor(*feature)
        if not isinstance(feature, SparseTensor):
            feature = convert_to_tensor(feature)
        rank = feature.get_shape().rank
        if rank == 0:
            raise ValueError(f"Feature (key: {key}) cannot have rank 0. Given: {feature}")
        if rank != 1:
            return feature
        if isinstance(feature, SparseTensor):
            return sparse_reshape(feature, [feature.dense_shape[0], 1])
        return expand_dims(feature, -1)

    def sparse(self, key: str) -> SparseTensor:
        """A feature as a SparseTensor: of a dense one all but "" and -1."""
        return as_sparse(self.of(key))


def as_sparse(feature: Any, absent: Any = None) -> SparseTensor:
    """Converts a tensor to a SparseTensor without its placeholder values.

    Args:
        feature: the tensor; one that is sparse already stays as it is.
        absent: the value of missing entries; by default "" or -1.
    """
    if isinstance(feature, SparseTensor):
        return feature
    if absent is None:
        absent = "" if feature.dtype == string else -1
    places = where(not_equal(feature, convert_to_tensor(absent, feature.dtype)))
    sizes = cast(shape(feature), int64)
    return SparseTensor(places, gather_nd(feature, places), sizes)


def check_key(key: Any) -> None:
    """Checks the name of a feature.

    Raises:
        ValueError: it is not a string.
    """
    if not isinstance(key, str):
        raise ValueError(f"key must be a string, got {type(key).__name__}: {key!r}")
